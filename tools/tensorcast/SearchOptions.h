//===- SearchOptions.h - The command line of a search -----------*- C++ -*-===//

#ifndef TENSORCAST_TOOLS_TENSORCAST_SEARCHOPTIONS_H
#define TENSORCAST_TOOLS_TENSORCAST_SEARCHOPTIONS_H

#include "Options.h"

#include "tensorcast/Search/Request.h"

namespace mlir::tensorcast {

/// Reads what is searched for. Reports all mistakes through `line`, but for
/// those in files, which the context is told of: then the result is failure.
FailureOr<search::SearchRequest> readSearchRequest(CommandLine &line,
                                                   MLIRContext *context);

} // namespace mlir::tensorcast

#endif // TENSORCAST_TOOLS_TENSORCAST_SEARCHOPTIONS_H
