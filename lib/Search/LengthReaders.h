//===- LengthReaders.h - The kinds of length files --------------*- C++ -*-===//

#ifndef TENSORCAST_LIB_SEARCH_LENGTHREADERS_H
#define TENSORCAST_LIB_SEARCH_LENGTHREADERS_H

#include "tensorcast/Search/LengthFile.h"

namespace mlir::tensorcast::search {

/// The text of a length file, and what the command line adds to it.
struct LengthSource {
  StringRef text, path;
  std::optional<int64_t> output;
  MLIRContext *context;

  /// An error at a line and column, which count from 1.
  InFlightDiagnostic emitError(size_t line, size_t column) const;
};

FailureOr<Lengths> readBins(const LengthSource &source);
FailureOr<Lengths> readCsvTrace(const LengthSource &source);
FailureOr<Lengths> readJsonTrace(const LengthSource &source);

/// Gathers the requests of a trace.
class TraceBuilder {
public:
  explicit TraceBuilder(const LengthSource &source) : source(source) {}

  /// Adds a request. Those without any tokens have failed, and are left out.
  void add(int64_t input, int64_t output);

  /// Reports a trace of no requests, and how many were left out.
  FailureOr<Lengths> finish();

private:
  const LengthSource &source;
  Lengths lengths;
  llvm::DenseMap<std::pair<int64_t, int64_t>, size_t> known;
  int64_t numLeftOut = 0;
};

/// The number of the first of `names` that is known as the name of input (or
/// output) lengths in traces; nothing if none is.
std::optional<size_t> findLengthName(ArrayRef<StringRef> names, bool output);

/// The names that `findLengthName` knows.
ArrayRef<StringRef> getLengthNames(bool output);

/// Tokens that a request may have.
inline constexpr int64_t maxTokensOfRequest = int64_t(1) << 31;

} // namespace mlir::tensorcast::search

#endif // TENSORCAST_LIB_SEARCH_LENGTHREADERS_H
