//===- LengthFile.h - Lengths of requests from files ------------*- C++ -*-===//

#ifndef TENSORCAST_SEARCH_LENGTHFILE_H
#define TENSORCAST_SEARCH_LENGTHFILE_H

#include "tensorcast/Search/Lengths.h"

#include "mlir/IR/Diagnostics.h"

#include <optional>

namespace mlir::tensorcast::search {

/// Reads lengths from a file whose name ends in `.yaml` or `.yml` (bins with
/// weights), `.csv` or `.jsonl` (a trace of requests). `output` is the length
/// of all answers; without, the file has to say it. Reports what is wrong with
/// line and column.
FailureOr<Lengths> readLengthFile(StringRef path, std::optional<int64_t> output,
                                  MLIRContext *context);

} // namespace mlir::tensorcast::search

#endif // TENSORCAST_SEARCH_LENGTHFILE_H
