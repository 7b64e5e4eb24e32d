//===- Lengths.h - How long requests are ------------------------*- C++ -*-===//

#ifndef TENSORCAST_SEARCH_LENGTHS_H
#define TENSORCAST_SEARCH_LENGTHS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace mlir::tensorcast::search {

/// Requests of one length, with their share of all requests (in any unit).
struct LengthClass {
  int64_t input = 0, output = 0;
  double weight = 1;
};

/// So many requests of one length.
struct RequestCount {
  int64_t input = 0, output = 0, count = 0;
};

/// The lengths of the requests of a service.
struct Lengths {
  std::vector<LengthClass> classes;
  /// Whether requests are taken at even steps through all requests by length,
  /// rather than by the shares of the classes: where these are too many.
  bool byQuantile = false;

  bool isConstant() const { return classes.size() == 1; }
  double getMeanInput() const;
  double getMeanOutput() const;

  /// `count` requests that stand for all, in the order of the classes: with
  /// their shares, whole ones by largest remainder (of equal ones the first).
  SmallVector<RequestCount> sample(int64_t count) const;

private:
  SmallVector<int64_t> countByShare(int64_t count) const;
  SmallVector<int64_t> countByQuantile(int64_t count) const;
};

} // namespace mlir::tensorcast::search

#endif // TENSORCAST_SEARCH_LENGTHS_H
