//===- BlockSparse.cpp - Which blocks of tokens are attended to -----------===//

#include "BlockBuilder.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

Value mlir::tensorcast::buildBlockIndices(BlockBuilder &block, Value hidden,
                                          Value rope, Value batch) {
  const DecoderConfig &config = block.config;
  const BlockSparseConfig &sparse = *config.blockSparse;
  OpBuilder &builder = block.builder;
  int64_t size = sparse.headDim, heads = config.numKeyValueHeads;
  // Queries are split as the key-value heads that they pick blocks for; all of
  // them share the keys.
  auto project = [&](StringRef name, int64_t count,
                     ShardingAttr sharding) -> Value {
    std::string linear = ("self_attn.index_" + name + "_proj").str();
    std::string norm = ("self_attn.index_" + name + "_norm").str();
    Value parts = block.splitHeads(
        linear, block.linear(linear, hidden, count * size, false, sharding),
        count);
    if (config.qkNorm)
      parts = block.rmsNorm(norm, parts);
    return RopeOp::create(builder, block.at("self_attn.rotary_emb"),
                          parts.getType(), parts, rope, getRopeStyle(config));
  };
  Value query = project(
      "q", heads, block.split(ShardKind::Column, ShardGroup::Tensor, size));
  Value key = project("k", 1, ShardingAttr());
  Location loc = block.at("self_attn.indexer");
  auto type = KVCacheType::get(builder.getContext(), {size},
                               builder.getF16Type(), kKVCacheBlockSize);
  Value cache = block.cache("self_attn.indexer", type);
  cache = AppendIndexCacheOp::create(builder, loc, type, key, cache, batch);
  return BlockIndexerOp::create(builder, loc, query, cache, batch, sparse.topK,
                                sparse.blockSize, sparse.local, sparse.initial);
}
