//===- Csv.h - Reading comma-separated values -------------------*- C++ -*-===//
//
// Text to rows of cells (RFC 4180), with every failure as an MLIR diagnostic.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_SUPPORT_CSV_H
#define TENSORCAST_SUPPORT_CSV_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace mlir::tensorcast {

/// A cell, without the quotes or blanks around it, and where it begins; lines
/// and columns count from 1.
struct CsvCell {
  std::string text;
  unsigned line = 0, column = 0;
};

/// Calls `useRow` with each row until that fails. Lines may end with or without
/// a return; blank ones are left out. A row with more or fewer cells than the
/// first, the header, and quotes that are not around whole cells are errors.
/// `fileName` is what diagnostics call the text.
LogicalResult readCsv(StringRef text, StringRef fileName, MLIRContext *context,
                      function_ref<LogicalResult(ArrayRef<CsvCell>)> useRow);

} // namespace mlir::tensorcast

#endif // TENSORCAST_SUPPORT_CSV_H
