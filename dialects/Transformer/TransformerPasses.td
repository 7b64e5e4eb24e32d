//===- TransformerPasses.td - Passes of the transformer dialect -*- tablegen -*-===//

#ifndef TENSORCAST_TRANSFORMER_PASSES
#define TENSORCAST_TRANSFORMER_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

def TransformerDedupLayers : Pass<"transformer-dedup-layers", "::mlir::ModuleOp"> {
  let summary = "Merges structurally equal layer functions.";
  let description = [{
    Layers that compute the same become calls of one function, so that later
    passes do one layer's work for all of them. Two functions are equal if they
    have the same types and the same ops with the same attributes in the same
    order; names of functions, locations and discardable attributes are ignored,
    but for the marks of `transformer-mark-layers`.
    The function of the first layer of each group stays.

    Needs nothing before it. Afterwards no two layer functions are equal; the
    module means the same and has the same price. A remark of category `dedup`
    names each group and its count, and for each further group the first
    difference to the largest one.
  }];
}

def TransformerSpecializeLayers : Pass<"transformer-specialize-layers",
                                       "::mlir::ModuleOp"> {
  let summary = "Gives single layers a function of their own.";
  let description = [{
    Copies the function that the named layers call, one copy for each of them,
    so that a later pass can treat the layer apart. The inverse of
    `transformer-dedup-layers` for these layers.

    Needs nothing before it. An unknown layer is an error that lists the nearest
    name; a layer that already has a function to itself is left alone.
  }];
  let options = [
    ListOption<"layers", "layers", "std::string",
               "Names of layers, such as model.layers.7; all if none is given.">,
  ];
}

def TransformerMarkLayers : Pass<"transformer-mark-layers", "::mlir::ModuleOp"> {
  let summary = "Says how to treat functions, all or those of single layers.";
  let description = [{
    `disable` takes names of fusions as reports have them: `fuse-norm.residual`
    is the option `residual` of `transformer-fuse-norm`, `fuse-norm` all that
    this pass fuses, `apply-patterns.NAME` or just `NAME` a pattern of one's own.
    Behind `@` come the layers in which it is off, perhaps with wildcards:
    `fuse-ffn@model.layers.1*`. Without `@` it is off everywhere, outside of
    layers too.

    `high-precision` takes names of ops and of weights, without `.weight` and
    perhaps with wildcards, and layers in the same way: `rms_norm`,
    `*.down_proj@model.layers.0`. An op stays what a framework launches, with its
    conversions to f32, where a fusion would compute it in the type of its
    tensors (`rms_norm`, `layer_norm`, `rope`, `softmax` of attention without a
    cache); a linear layer with such a weight, all of them (`linear`) or
    `attention` is not quantized.

    `training` keeps what the gradient reads: fusions that would not write it
    are off, each with a reason of its own.

    Layers that are marked get a function of their own, one for all that are
    marked alike, as from `transformer-specialize-layers`. It has the attributes
    `transformer.disabled_fusions` and `transformer.high_precision`, which list
    what was asked, and `transformer.training`. The passes that fuse leave such
    functions as they are and report why; `transformer-dedup-layers` and
    `transformer-inline-layers` keep them apart.

    Needs nothing before it. An unknown fusion, op, weight or layer is an error
    that lists the nearest name.
  }];
  let options = [
    ListOption<"disable", "disable", "std::string",
               "Fusions to switch off: FUSION or FUSION@LAYERS.">,
    ListOption<"highPrecision", "high-precision", "std::string",
               "Ops and weights that stay in high precision: NAME or "
               "NAME@LAYERS.">,
    Option<"training", "training", "bool", "false",
           "Keep what the gradient reads.">,
    ListOption<"patterns", "patterns", "std::string",
               "Files with patterns of one's own that 'disable' may name.">,
  ];
  let dependentDialects = ["::mlir::pdl::PDLDialect",
                           "::mlir::pdl_interp::PDLInterpDialect",
                           "::mlir::transformer::TransformerDialect"];
}

def TransformerInlineLayers : Pass<"transformer-inline-layers",
                                   "::mlir::ModuleOp"> {
  let summary = "Dissolves layers into the function that calls them.";
  let description = [{
    Replaces each `transformer.layer` by the body of its function. Weights and
    caches get the layer's name in front of their own, and locations name the
    layer that the op came from. Functions that no layer calls any more are
    erased. Layers that run eagerly stay, and those that are marked otherwise
    than what calls them (`transformer-mark-layers`), unless `all` are asked for.

    Needs nothing before it; fusing across the edge of a layer needs this.
  }];
  let options = [
    Option<"all", "all", "bool", "false",
           "Dissolve also the layers that passes treat apart.">,
  ];
}

//===----------------------------------------------------------------------===//
// Stages of a pipeline
//===----------------------------------------------------------------------===//

def TransformerSplitStages : Pass<"transformer-split-stages",
                                  "::mlir::ModuleOp"> {
  let summary = "Splits the model into stages of a pipeline.";
  let description = [{
    Cuts the function that calls the layers into functions of one stage each
    (`transformer.stage`), and sends what a stage needs of an earlier one from
    stage to stage (`transformer.send_receive`). Layers are in order; `L` layers
    over `S` stages are `L / S` in each, and of the `L mod S` left over, one
    goes to each of the stages counted back from the one before the last. What
    comes before the layers, such as the embedding, is in the first stage; what
    depends on the last layer, such as norm, head and layers that predict
    further, in the last one. Weights, and lookups whose result is no tensor,
    such as that of the rope tables, are repeated in each stage that needs them.
    Stage `s` is on device `s * tp` for all of its devices, `tp` being the
    devices that share a layer.

    The layers are those of the first chain in which each layer takes a result
    of the one before it, perhaps with features of images placed in it, and one
    of which has a KV cache; if none has, of the first chain. Layer functions stay as they are, shared by all stages.

    Needs a module with layers that are not dissolved, and at most as many
    stages as layers. Sharding comes before it: its plan says how many stages
    there are; a module without a plan gets one. Afterwards the module means the
    same: `transformer-join-stages` is its inverse.
  }];
  let dependentDialects = ["::mlir::transformer::TransformerDialect"];
  let options = [
    Option<"stages", "stages", "int64_t", /*default=*/"0",
           "Stages of the pipeline; those of the module's plan if 0.">,
  ];
}

def TransformerJoinStages : Pass<"transformer-join-stages",
                                 "::mlir::ModuleOp"> {
  let summary = "Joins the stages of a pipeline to one model.";
  let description = [{
    Replaces each `transformer.stage` by the body of its function, and each
    transfer between stages by what it moves; weights that several stages
    declare are declared once. The plan becomes that of one stage's devices, and
    is removed if that is one device. The inverse of `transformer-split-stages`,
    and how a pipeline is executed: all stages in one module.

    Needs a module that is not lowered to launches.
  }];
  let dependentDialects = ["::mlir::transformer::TransformerDialect"];
}

//===----------------------------------------------------------------------===//
// Workload
//===----------------------------------------------------------------------===//

def TransformerBindWorkload : Pass<"transformer-bind-workload",
                                   "::mlir::ModuleOp"> {
  let summary = "Puts numbers for the expressions over the batch.";
  let description = [{
    Evaluates every expression of types and attributes at the workload, makes
    shapes static, and records the workload in the module attribute
    `transformer.workload`. Works on every form of a module, lowered or not.

    Needs a module that is not bound yet; for images, a model that sees, which
    says how it cuts them (`transformer.images`), and for images in a prefill
    step its vision tower (`tc-import --images`).
  }];
  let dependentDialects = ["::mlir::transformer::TransformerDialect"];
  let options = [
    Option<"queries", "queries", "int64_t", /*default=*/"0",
           "Requests in the step (1 or more).">,
    Option<"queryLength", "query-length", "int64_t", /*default=*/"0",
           "New tokens of each request (1 or more).">,
    Option<"contextLength", "context-length", "int64_t", /*default=*/"0",
           "Tokens of each request that are in the cache already.">,
    Option<"decode", "decode", "bool", /*default=*/"false",
           "Whether every token yields logits.">,
    Option<"prefixCacheHitRate", "prefix-cache-hit-rate", "double",
           /*default=*/"0.0",
           "Share of a prefill query that the prefix cache holds, 0 to below 1.">,
    ListOption<"moreRequests", "more-requests", "std::string",
               "Requests of other kinds in the same step, each as "
               "QUERIESxLENGTH[+CONTEXT][@RATE][:decode].">,
    Option<"imageBatchSize", "image-batch-size", "int64_t", /*default=*/"0",
           "Images of each request, in front of its query.">,
    Option<"imageHeight", "image-height", "int64_t", /*default=*/"0",
           "Pixels from top to bottom of each image.">,
    Option<"imageWidth", "image-width", "int64_t", /*default=*/"0",
           "Pixels from left to right of each image.">,
  ];
}

//===----------------------------------------------------------------------===//
// Rewriting ops
//===----------------------------------------------------------------------===//

def TransformerDecompose
    : Pass<"transformer-decompose", "::mlir::func::FuncOp"> {
  let summary = "Expands composite ops to what a framework launches.";
  let description = [{
    Replaces composite ops by the ops that they stand for. At level `framework`,
    the eager form, ops that a framework launches as one kernel stay: linear
    layers, embeddings, attention over a cache. Level `primitive` expands every
    op that has an expansion. Ops under `keep` stay at each level.

    Needs nothing before it. Afterwards no op that the options name is left;
    running it twice changes nothing.
  }];
  let dependentDialects = ["::mlir::transformer::TransformerDialect"];
  let options = [
    Option<"level", "level", "::mlir::transformer::DecomposeLevel",
           /*default=*/"::mlir::transformer::DecomposeLevel::Framework",
           "How far to expand.", [{::llvm::cl::values(
             clEnumValN(::mlir::transformer::DecomposeLevel::Framework,
                        "framework", "to what a framework launches"),
             clEnumValN(::mlir::transformer::DecomposeLevel::Primitive,
                        "primitive", "to primitive ops only"))}]>,
    ListOption<"ops", "ops", "std::string",
               "Names of composite ops, such as rms_norm; all if none is given.">,
    ListOption<"keep", "keep", "std::string",
               "Names of composite ops that stay, as what runs the model "
               "launches them whole; op@family for those of a family of "
               "models.">,
    Option<"eagerTowers", "eager-towers", "bool", /*default=*/"false",
           "Let the functions that look at images run op by op, whatever is "
           "compiled: mark them as `transformer.eager`.">,
    ListOption<"eagerKeep", "eager-keep", "std::string",
               "Names of composite ops that stay in those functions, in place "
               "of those under `keep`.">,
  ];
}

def TransformerShard : Pass<"transformer-shard", "::mlir::ModuleOp"> {
  let summary = "Splits the model over devices.";
  let description = [{
    Rewrites the module for device 0, which stands for all: weights become the
    part that a device holds, by their `sharding`; the sizes of activations and
    caches follow; `transformer.all_reduce` and `transformer.all_gather` put
    results together. A layer that is split in a group of another size than the
    tensor-parallel one spreads the tokens over that group.

    Experts are in order over `ep` devices: their tokens go there and back
    (`transformer.dispatch_tokens`, `transformer.return_tokens`), from as many
    devices as have tokens of their own: the tokens of a tensor-parallel group
    are divided among it. Without `ep`, data-parallel groups gather their tokens
    instead. `moe-tp` splits the matrices of each expert. With
    `external-shared-experts`, some devices hold nothing but the shared expert,
    which every token then chooses beside others
    (`transformer.add_shared_choice`); device 0 is one of the others, or, with
    `host-external-shared-experts`, one of these.

    With `dcp`, devices of a tensor-parallel group take turns to keep the tokens
    of a request (decode context parallel): each attends with the queries of all
    of them to the tokens that it keeps (`transformer.partial_attention`), and
    merges what all found for its own heads. This is for decode steps: the module
    gets the attribute `transformer.assumes`, which a workload has to meet. In a
    module whose attribute says already that not all requests are in decode,
    devices share no cached tokens.

    With `pp` stages, what is rewritten is one stage's device 0, of as many
    devices as a stage has; `transformer-split-stages` then cuts the model.

    Leaves the module attribute `transformer.plan`. Needs a module that is
    neither sharded nor bound; quantize afterwards, so that scales belong to what
    a device holds.
  }];
  let dependentDialects = ["::mlir::transformer::TransformerDialect"];
  let options = [
    Option<"devices", "devices", "int64_t", /*default=*/"0",
           "Devices that run the model; tp * dp * pp if 0.">,
    Option<"tensor", "tp", "int64_t", "0",
           "Devices that share each layer (tensor parallel); 1 if 0.">,
    Option<"data", "dp", "int64_t", "0",
           "Groups that share the requests (data parallel); devices / (tp * "
           "pp) if 0.">,
    Option<"pipeline", "pp", "int64_t", "0",
           "Stages that share the layers (pipeline parallel), each on its "
           "share of the devices; 1 if 0.">,
    Option<"output", "o-proj-tp", "int64_t", "0",
           "Devices that share the attention output; tp if 0.">,
    Option<"mlp", "mlp-tp", "int64_t", "0",
           "Devices that share the MLP; tp if 0.">,
    Option<"head", "lmhead-tp", "int64_t", "0",
           "Devices that share the head; tp if 0.">,
    Option<"wordEmbedding", "word-embedding-tp", "std::string", "\"none\"",
           "Split of the word embedding over tp: none, col (features) or row "
           "(vocabulary).">,
    Option<"expert", "ep", "int64_t", "0",
           "Devices that share the experts (expert parallel); 1 if 0.">,
    Option<"expertTensor", "moe-tp", "int64_t", "0",
           "Devices that share the matrices of each expert; devices / (ep * "
           "moe-dp) if 0.">,
    Option<"expertData", "moe-dp", "int64_t", "0",
           "Groups of devices that each have all experts; 1 if 0.">,
    Option<"redundantExperts", "redundant-experts", "bool", "false",
           "Let each device hold a copy of one more expert.">,
    Option<"sharedExpertTensor", "shared-expert-tp", "bool", "false",
           "Split the shared expert as the MLP; each device has all of it "
           "otherwise.">,
    Option<"externalSharedExperts", "external-shared-experts", "bool", "false",
           "Let devices of their own hold the shared expert.">,
    Option<"hostSharedExperts", "host-external-shared-experts", "bool", "false",
           "Let device 0 be one that holds the shared expert.">,
    Option<"wideSharedChoice", "wide-shared-choice", "bool", "false",
           "Weigh in f32 where the shared expert is on devices of its own.">,
    Option<"context", "dcp", "int64_t", "0",
           "Devices of a tensor-parallel group that share the cached tokens of "
           "decode steps; 1 if 0.">,
    Option<"wholeSparseAttention", "whole-sparse-attention", "bool", "false",
           "Let every device have all heads of sparse attention, and its "
           "output.">,
    Option<"vision", "vision-tp", "int64_t", "0",
           "Devices that share the vision tower, of each tensor-parallel group; "
           "1 if 0.">,
  ];
}

def TransformerSequenceParallel
    : Pass<"transformer-sequence-parallel", "::mlir::ModuleOp"> {
  let summary = "Splits the tokens of norms and residual sums over devices.";
  let description = [{
    Between the layers that devices share, each device of a tensor-parallel
    group would do the same: add to the residual and normalize it, for all
    tokens. Here each does its share of the tokens. A `transformer.all_reduce`
    in front becomes a `transformer.reduce_scatter`, and a
    `transformer.all_gather` behind the norm puts the tokens together for the
    next layer. The residual, which crosses layers, stays split; types of layer
    functions follow. Tokens that do not divide are padded.

    Needs `transformer-shard` and `transformer-fuse-norm` before it, and
    `transformer-fuse-quant` or the `linear-all-reduce` of
    `transformer-fuse-comm`, if at all, behind it: a norm that is fused with a
    quantization has a scale for all tokens. A module in which something stands
    in the way is left as it is; remarks of category `sequence-parallel` say
    what.

    A mixture of experts behind a gather, which takes a share of the tokens,
    routes and computes those that the device has, and the gather goes.

    With `only-after-sum`, a module whose routers yield logits may also start in
    layers with a sum over devices in front of a norm; other layers stay.

    With `only-even-tokens`, an unbound module gets the attribute
    `transformer.assumes`, which a workload has to meet. In a module whose
    attribute says already that tokens are uneven, none are split.
  }];
  let dependentDialects = ["::mlir::transformer::TransformerDialect"];
  let options = [
    Option<"onlyAfterSum", "only-after-sum", "bool", "false",
           "Start only if a sum over devices is right in front of the first "
           "norm, as with word-embedding-tp=row.">,
    Option<"onlyEvenTokens", "only-even-tokens", "bool", "false",
           "Apply only if the devices divide the tokens.">,
  ];
}

def TransformerQuantize
    : Pass<"transformer-quantize", "::mlir::func::FuncOp"> {
  let summary = "Quantizes linear layers and attention of decoder layers.";
  let description = [{
    Replaces `transformer.linear` by a quantization of the activation and a
    `transformer.quantized_linear`:

    | action | weight | activation | scales |
    | --- | --- | --- | --- |
    | `W8A16_*` | i8 | as it is | per tensor |
    | `W8A8_*` | i8 | i8 | per tensor |
    | `W4A8_*` | i4 | i8 | per tensor |
    | `FP8` | f8E4M3FN | f8E4M3FN, dynamic | per tensor |
    | `MXFP4` | f4E2M1FN | f4E2M1FN, dynamic | f8E8M0FNU per group |

    `_STATIC` has the scale of the activation as a weight, `_DYNAMIC` finds it
    at run time. With an attention action, queries, keys, values and the KV
    cache have 8 bits, with scales as weights.

    Private functions, which layers call, are quantized; what lies outside of
    layers, such as the head, is not, nor are functions that call layers. Patterns of names are matched within the
    layer, without `.weight` (`self_attn.q_proj`). Needs linear layers
    whose weight is a `transformer.weight`; others are left alone, with a remark
    of category `quantize`. Shard first: scales belong to what a device holds.
  }];
  let dependentDialects = ["::mlir::transformer::TransformerDialect"];
  let options = [
    Option<"linearAction", "linear-action", "std::string",
           /*default=*/"\"W8A8_DYNAMIC\"",
           "DISABLED, W8A16_STATIC, W8A16_DYNAMIC, W8A8_STATIC, W8A8_DYNAMIC, "
           "W4A8_STATIC, W4A8_DYNAMIC, FP8 or MXFP4.">,
    Option<"nonExpertLinearAction", "non-expert-linear-action", "std::string",
           /*default=*/"\"\"",
           "Action for all linear layers but those of routed experts; that of "
           "'linear-action' if empty.">,
    Option<"attentionAction", "attention-action", "std::string",
           /*default=*/"\"DISABLED\"", "DISABLED, INT8 or FP8.">,
    Option<"groupSize", "group-size", "int64_t", /*default=*/"32",
           "Elements that share a scale in MXFP4.">,
    Option<"sharedGroupScales", "shared-group-scales", "bool",
           /*default=*/"false", "Let rows share the scales of their groups.">,
    Option<"floatSparseKeys", "float-sparse-keys", "bool", "false",
           "Leave the weights that make keys of sparse attention and of its "
           "indexer as they are.">,
    ListOption<"include", "include", "std::string",
               "Quantize only weights whose name matches one of these patterns "
               "(`*` stands for any text).">,
    ListOption<"exclude", "exclude", "std::string",
               "Leave out weights whose name matches one of these patterns.">,
  ];
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

class Transformer_FusionPass<string mnemonic>
    : Pass<"transformer-" # mnemonic, "::mlir::func::FuncOp"> {
  let dependentDialects = ["::mlir::transformer::TransformerDialect"];
}

def TransformerFuseNorm : Transformer_FusionPass<"fuse-norm"> {
  let summary = "Wins norms back from their pieces and fuses the residual.";
  let description = [{
    `rms-norm`: the eight ops that a framework launches become one
    `transformer.rms_norm`. `wide-rms-norm`: those of a norm whose weight is
    multiplied in f32 do too. `layer-norm`: mean, difference, variance, quotient
    (or product with the inverse root), weight and bias become one
    `transformer.layer_norm`. `residual`, `layer-norm-residual`:
    `transformer.add` followed by a norm becomes `transformer.add_rms_norm` or
    `transformer.add_layer_norm`, which still yields the sum. `gated-rms-norm`: a
    norm times the SiLU of a gate becomes `transformer.gated_rms_norm`.
    `latent-projection` and `linear-attention` are those of
    `transformer-fuse-attention`, where that came before, and are reported and
    switched off by its name (`fuse-attention.latent-projection`).

    Works on the decomposed form. Near misses are remarks of category
    `fuse-norm` with a reason.
  }];
  let options = [
    Option<"rmsNorm", "rms-norm", "bool", "true",
           "Win RMS norms back from their pieces.">,
    Option<"wideRMSNorm", "wide-rms-norm", "bool", "true",
           "Win RMS norms back whose weight is multiplied in f32.">,
    Option<"residual", "residual", "bool", "true",
           "Fuse the residual addition into the RMS norm behind it.">,
    Option<"layerNorm", "layer-norm", "bool", "true",
           "Win layer norms back from their pieces.">,
    Option<"layerNormResidual", "layer-norm-residual", "bool", "true",
           "Fuse the residual addition into the layer norm behind it.">,
    Option<"gatedRMSNorm", "gated-rms-norm", "bool", "true",
           "Fuse a norm with the gate behind it.">,
    Option<"latentProjection", "latent-projection", "bool", "true",
           "Win the projections of latent attention back.">,
    Option<"linearAttention", "linear-attention", "bool", "true",
           "Win linear attention back.">,
  ];
}

def TransformerFuseQuant : Transformer_FusionPass<"fuse-quant"> {
  let summary = "Shares quantizations and fuses them into norms.";
  let description = [{
    `share`: equal quantizations of one tensor become one. `norm`: a norm that
    only a quantization reads becomes one kernel with it, with the residual if
    that is fused already.

    Needs `transformer-fuse-norm` before it. Near misses are remarks of category
    `fuse-quant` with a reason.
  }];
  let options = [
    Option<"share", "share", "bool", "true",
           "Merge equal quantizations of one tensor.">,
    Option<"norm", "norm", "bool", "true",
           "Fuse a norm with the quantization that alone reads it.">,
    Option<"onlyEps", "only-eps", "double", "0.0",
           "The one eps for which fused norms exist; any if 0.">,
  ];
}

def TransformerFuseAttention : Transformer_FusionPass<"fuse-attention"> {
  let summary = "Wins attention and rotary embeddings back from their pieces.";
  let description = [{
    `rope`: the products, negation and sum of a rotation, of halves or of
    neighbours, become one `transformer.rope`. `rope-casts`: so does a rotation
    between conversions of the heads to the type of its table and back.
    `rope-table`: the lookups of a table become one `transformer.rope_table`.
    `rope-pair`: the rotations of queries and keys become one
    `transformer.rope_pair`. `latent-projection`: the layers, norms and rotations
    in front of latent attention become `transformer.latent_projection`, if
    `transformer-fuse-norm` has won the norms back.

    `delta-gating`: the gates of a delta rule and its repeated heads become
    `transformer.delta_gating`. `linear-attention`: with these, with a convolution
    and norms with a gate, and with plain linear layers, it becomes
    `transformer.linear_attention`.

    `attention`: the product of queries and keys, a scale of either or of the
    scores, masks, a softmax and the product with values become one
    `transformer.scaled_dot_product_attention`, with copies of permuted heads in
    front and behind. A `transformer.causal_mask` becomes an attribute; of what
    else is added to the scores, a kernel takes a mask for all heads and a bias.
    Scores and probabilities that something else reads or changes leave it as it
    is. `softmax`: maximum, difference, exponential, sum and quotient become one
    `transformer.softmax`.

    Works on the decomposed form. Near misses are remarks of category
    `fuse-attention` with a reason.
  }];
  let options = [
    Option<"rope", "rope", "bool", "true",
           "Win rotations back from their pieces.">,
    Option<"ropeTable", "rope-table", "bool", "true",
           "Win tables of rotations back from their lookups.">,
    Option<"ropeCasts", "rope-casts", "bool", "true",
           "Fuse conversions of heads around a rotation into it.">,
    Option<"ropePair", "rope-pair", "bool", "true",
           "Rotate queries and keys in one kernel.">,
    Option<"latentProjection", "latent-projection", "bool", "true",
           "Win the projections of latent attention back.">,
    Option<"deltaGating", "delta-gating", "bool", "true",
           "Win the gates of linear attention back.">,
    Option<"linearAttention", "linear-attention", "bool", "true",
           "Win linear attention back.">,
    Option<"attention", "attention", "bool", "true",
           "Win attention without a cache back from its pieces.">,
    Option<"softmax", "softmax", "bool", "true",
           "Win softmaxes back from their pieces.">,
    Option<"onlyFullWidth", "only-full-width", "bool", "false",
           "Win back and pair only rotations of whole heads.">,
    Option<"onlyEqualTypes", "only-equal-types", "bool", "false",
           "Win back and pair only rotations in the type of the heads.">,
  ];
}

def TransformerFuseFFN : Transformer_FusionPass<"fuse-ffn"> {
  let summary = "Wins activations back, and fuses them into linear layers.";
  let description = [{
    `swiglu`: `silu(gate) * up` becomes `transformer.swiglu`. `clamped-swiglu`:
    limits of gate and up, a sigmoid and products become
    `transformer.clamped_swiglu`. `gelu`: the five
    ops of a GELU by the error function and the eight by the hyperbolic tangent,
    halved in any of three places, become one `transformer.gelu`.
    `linear-activation`: a GELU, a SiLU or a ReLU (`transformer.max_scalar` of 0)
    that alone reads a linear layer becomes the epilogue of its product, a
    `transformer.fused` of both. What a product then gates with is left to
    `swiglu` and `transformer-merge-linears`.

    Works on the decomposed form. Near misses are remarks of category
    `fuse-ffn` with a reason.
  }];
  let options = [
    Option<"swiglu", "swiglu", "bool", "true", "Fuse the SiLU of the gate.">,
    Option<"clampedSwiGLU", "clamped-swiglu", "bool", "true",
           "Win limited activations back from their pieces.">,
    Option<"gelu", "gelu", "bool", "true",
           "Win GELUs back from their pieces.">,
    Option<"linearActivation", "linear-activation", "bool", "true",
           "Fuse an activation into the linear layer in front of it.">,
  ];
}

def TransformerFuseMoE : Transformer_FusionPass<"fuse-moe"> {
  let summary = "Fuses the kernels of mixtures of experts.";
  let description = [{
    `grouped-swiglu`: the activation of experts becomes part of the grouped
    product of gate and up, which `transformer-merge-linears` has joined.
    `grouped-quantize`: so does the quantization to groups behind it.
    `dispatch-ffn-combine`: all from the order of experts to the order of
    tokens, exchanges included, becomes `transformer.dispatch_ffn_combine`, if
    tokens go to experts on other devices and no expert is split. `combine`: the
    rows of a token's experts, in the order of tokens, times their weights, and
    the sum of these become `transformer.combine_tokens`. `gating`: the pieces
    of a choice of experts (scores, bias, groups, the largest scores, their
    normalization, scale and rounding) become `transformer.select_experts`.

    Near misses are remarks of category `fuse-moe` with a reason.
  }];
  let options = [
    Option<"groupedSwiglu", "grouped-swiglu", "bool", "true",
           "Fuse the activation into the product of gate and up.">,
    Option<"groupedQuantize", "grouped-quantize", "bool", "true",
           "Fuse the quantization of the activation as well.">,
    Option<"dispatchFFNCombine", "dispatch-ffn-combine", "bool", "true",
           "Fuse experts with the exchanges around them.">,
    Option<"combine", "combine", "bool", "true",
           "Fuse the weighted sum of the results of each token's experts.">,
    Option<"gating", "gating", "bool", "true",
           "Fuse the pieces of a choice of experts.">,
  ];
}

def TransformerMergeLinears : Transformer_FusionPass<"merge-linears"> {
  let summary = "Runs linear layers of one input as one.";
  let description = [{
    Linear layers that read the same tensor (query, key and value; gate and up)
    become one with all their outputs, and slices of its result; `experts`: so do
    the grouped layers of experts. Weights are joined when the model is loaded.
    Quantized layers need the same quantized input, so `transformer-fuse-quant`
    comes first.
  }];
  let options = [
    Option<"linears", "linears", "bool", "true", "Merge linear layers.">,
    Option<"experts", "experts", "bool", "true",
           "Merge the grouped linear layers of experts.">,
    Option<"onlyEqualGroups", "only-equal-groups", "bool", "false",
           "Merge weights with scales per group only if they have equal "
           "shapes.">,
  ];
}

def TransformerFuseComm : Transformer_FusionPass<"fuse-comm"> {
  let summary = "Shares exchanges and fuses them into linear layers.";
  let description = [{
    `share`: equal gathers of one tensor become one. `linear-all-reduce`: a
    linear layer whose result only an all-reduce reads sums it over devices in
    the same kernel.

    Needs `transformer-shard` before it. Near misses are remarks of category
    `fuse-comm` with a reason.
  }];
  let options = [
    Option<"share", "share", "bool", "true",
           "Merge equal gathers of one tensor.">,
    Option<"linearAllReduce", "linear-all-reduce", "bool", "true",
           "Fuse an all-reduce into the linear layer in front of it.">,
  ];
}

//===----------------------------------------------------------------------===//
// The user's own patterns
//===----------------------------------------------------------------------===//

def TransformerApplyPatterns
    : Pass<"transformer-apply-patterns", "::mlir::func::FuncOp"> {
  let summary = "Applies rewrite patterns from files.";
  let description = [{
    Reads patterns at run time, from PDLL (`.pdll`, compiled by the program
    mlir-pdll), PDL as `.mlir` or its bytecode, and applies them until none
    applies. `Transformer.pdll` declares what patterns may use: the ops, native
    constraints and `Fuse`, which makes a `transformer.fused` of ops.

    Patterns see the ops of a function, not those within a fused op. They run
    wherever the pass stands: on composites, or behind `transformer-decompose`
    and the fusions. Each match is a remark of category `apply-patterns`; each
    op at which a pattern nearly applied is one with the first condition that
    did not hold.

    Everything that is wrong with a file is an error at its place in the file:
    ops and constraints that do not exist (with the nearest name), replacements
    of another type, ops that are invalid or erased while something reads them,
    and patterns that apply more than `max-rewrites` times to a function.
  }];
  let options = [
    ListOption<"files", "file", "std::string", "Files with patterns.">,
    ListOption<"includeDirs", "include", "std::string",
               "Folders for #include, before the project's own.">,
    Option<"compiler", "compiler", "std::string", /*default=*/"",
           "The program mlir-pdll; that of the build if empty.">,
    Option<"maxRewrites", "max-rewrites", "int64_t", /*default=*/"10000",
           "Rewrites of a function after which a pattern counts as endless.">,
  ];
  let dependentDialects = ["::mlir::pdl::PDLDialect",
                           "::mlir::pdl_interp::PDLInterpDialect",
                           "::mlir::transformer::TransformerDialect"];
}

#endif // TENSORCAST_TRANSFORMER_PASSES
