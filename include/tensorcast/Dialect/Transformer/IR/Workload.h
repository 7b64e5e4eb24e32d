//===- Workload.h - The requests of a step ----------------------*- C++ -*-===//
//
// What a workload means, without an attribute.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_DIALECT_TRANSFORMER_IR_WORKLOAD_H
#define TENSORCAST_DIALECT_TRANSFORMER_IR_WORKLOAD_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>

namespace mlir::tensorcast {

/// Requests that are alike, as `#transformer.workload` describes them:
/// `queries` are those of all devices together.
struct RequestGroup {
  int64_t queries = 1;
  int64_t queryLength = 1;
  int64_t contextLength = 0;
  bool decode = false;
  double prefixCacheHitRate = 0;

  /// Requests that one of `dataParallel` groups of devices works on.
  int64_t getRequests(int64_t dataParallel) const;
  /// New tokens of a request (q), of which `imageTokens` stand for images.
  int64_t getNewTokens(int64_t imageTokens) const;
  /// Tokens that a request attends to (kv).
  int64_t getTotalTokens(int64_t imageTokens) const;
};

/// The images of each request of a step, in cells of the model.
struct RequestImages {
  int64_t count = 0, rows = 0, columns = 0, tokens = 0;
};

/// Reads `QUERIESxLENGTH[+CONTEXT][@RATE][:decode]`, such as
/// `64x1+4096:decode`. Fails, and says what is wrong.
FailureOr<RequestGroup> parseRequestGroup(StringRef text, std::string &mistake);

/// The requests that one device works on, in numbers.
struct Batch {
  struct Group {
    double requests, newTokens, totalTokens;
    bool decode;
  };
  SmallVector<Group, 2> groups;
  double images = 0, imageRows = 0, imageColumns = 0;
  /// Whether all requests are in decode.
  bool decode = true;
};

/// A step: requests of one kind or, in a mixed batch, of several.
struct Workload {
  SmallVector<RequestGroup, 2> groups;
  RequestImages images = {};

  /// Whether all requests are in decode.
  bool isDecode() const;

  /// New tokens of all devices, with those that a prefix cache holds. In
  /// decode, the tokens of images are in the cache.
  double countTokens() const;

  /// Images that one of `dataParallel` groups of devices looks at: none are
  /// looked at in decode.
  int64_t getNumImages(int64_t dataParallel) const;

  /// What one of `dataParallel` groups of devices works on.
  Batch getBatch(int64_t dataParallel) const;

  /// What is wrong with it; empty for one that a step may have.
  std::string findMistake(int64_t dataParallel) const;

  /// What is wrong with its images for a model with or without a vision tower:
  /// only one with a tower looks at images, and it always does.
  std::string findImageMistake(bool hasTower) const;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_DIALECT_TRANSFORMER_IR_WORKLOAD_H
