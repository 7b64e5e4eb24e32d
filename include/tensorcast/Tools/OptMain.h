//===- OptMain.h - The driver tc-opt, for programs like it ------*- C++ -*-===//

#ifndef TENSORCAST_TOOLS_OPTMAIN_H
#define TENSORCAST_TOOLS_OPTMAIN_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::tensorcast {

/// Does what tc-opt does: all dialects, passes and pipelines of the project and
/// all options of the driver, and what is registered before the call beside
/// them. `banner` begins the help text. Returns the exit status.
int runOptMain(int argc, char **argv, StringRef banner,
               DialectRegistry &registry);

} // namespace mlir::tensorcast

#endif // TENSORCAST_TOOLS_OPTMAIN_H
