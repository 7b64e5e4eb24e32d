//===- LatentWork.h - Work of latent attention kernels ----------*- C++ -*-===//

#ifndef TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_LATENTWORK_H
#define TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_LATENTWORK_H

#include "LaunchBuilder.h"

#include "tensorcast/Dialect/Transformer/IR/Dims.h"
#include "tensorcast/Dialect/Transformer/IR/Expr.h"

namespace mlir::tensorcast {

/// Indices, lengths and block numbers are 64-bit integers.
inline constexpr double kIndexBytes = 8;

/// The first dimension of `type`; null if it is not known.
transformer::ExprAttr getRows(RankedTensorType type);

/// How many tokens of a request one of `share` devices that take turns keeps;
/// the one that keeps most.
transformer::ExprAttr getKeptTokensExpr(MLIRContext *context, int64_t share);

/// How many of the rows of `tokens` new tokens a device writes to `cache`; all
/// of them if a coefficient of `kernel`, which may be null, says so.
transformer::ExprAttr getWrittenRows(transformer::ExprAttr tokens,
                                     transformer::KVCacheType cache,
                                     const Kernel *kernel);

/// The bytes of `type` that an all-to-all of `ranks` moves: not the device's
/// own part. Null if the size is not known.
transformer::ExprAttr getSentBytes(RankedTensorType type,
                                   transformer::RanksAttr ranks);

/// Bytes that `cache` holds per token.
double getRowBytes(transformer::KVCacheType cache);

/// Adds `coefficient` of the kernel vector operations on each of `elements`.
void addOperations(OpBuilder &builder, Location loc, const Kernel &kernel,
                   StringRef coefficient, transformer::ExprAttr elements,
                   Type elementType);

/// `dividend / divisor`, where 1 divides nothing.
transformer::ExprAttr divide(transformer::ExprAttr dividend,
                             transformer::ExprAttr divisor);

/// The share of the bandwidth at which scattered rows are read. It grows with
/// each doubling of `blocks` and has bounds: the coefficients `<step>_read_at`
/// this number of blocks, `_per_doubling`, `_least` and `_most`.
transformer::ExprAttr getReadShare(const Kernel &kernel, StringRef step,
                                   transformer::ExprAttr blocks);

/// How often rows are read for `q` new tokens of a request: once per tile of
/// them, `<step>_tile`; once per request if that is 0.
transformer::ExprAttr getPasses(const Kernel &kernel, StringRef step,
                                transformer::ExprAttr q);

/// What a latent attention is made of.
struct LatentAttentionSizes {
  int64_t heads, rank, ropeSize, keySize, valueSize, blockSize;
  /// Heads that the weight belongs to, which may be fewer than attend.
  int64_t weightHeads;
  /// Devices that take turns to keep tokens.
  int64_t share = 1;
  double rowBytes, weightBytes;
  /// How many cached tokens a token looks at, if not at all of its request.
  transformer::ExprAttr picked;
  Type productType, softmaxType;
  bool isQuantized;
};

/// Requests either have keys and values made of all cached latents, or, if they
/// have few new tokens, meet the latents themselves (absorbed).
class LatentAttentionWork {
public:
  LatentAttentionWork(const LatentAttentionSizes &sizes, const Kernel &kernel,
                      transformer::WorkloadAttr workload);

  void build(OpBuilder &builder, Location loc);

private:
  using Expr = transformer::ExprAttr;

  /// The sum over the requests that are absorbed, or over the others.
  Expr sumAbsorbed(Expr expr);
  Expr sumExpanded(Expr expr);
  Expr number(double value);
  Expr getTable();
  Expr getBlocks(Expr tokens);

  void buildProducts(OpBuilder &builder, Location loc);
  void buildConversions(OpBuilder &builder, Location loc);
  void buildReads(OpBuilder &builder, Location loc);
  void buildSparseReads(OpBuilder &builder, Location loc);

  const LatentAttentionSizes &sizes;
  const Kernel &kernel;
  transformer::WorkloadAttr workload;
  MLIRContext *context;
  /// Per request: new tokens, cached and new tokens, those that are looked at,
  /// and whether the request is absorbed.
  Expr q, kv, seen, absorbed;
};

struct IndexerSizes {
  int64_t features, queryRank, heads, headSize, width, blockSize;
  Type elementType, cacheType;
};

class IndexerWork {
public:
  IndexerWork(const IndexerSizes &sizes, transformer::ExprAttr tokens,
              const Kernel &kernel, transformer::WorkloadAttr workload);

  void build(OpBuilder &builder, Location loc);

private:
  using Expr = transformer::ExprAttr;

  Expr number(double value);
  void buildScores(OpBuilder &builder, Location loc);
  void buildReads(OpBuilder &builder, Location loc);

  const IndexerSizes &sizes;
  Expr tokens;
  const Kernel &kernel;
  transformer::WorkloadAttr workload;
  MLIRContext *context;
  Expr q, kv, longest;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_LIB_CONVERSION_TRANSFORMERTOASCEND_LATENTWORK_H
