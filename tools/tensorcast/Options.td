//===- Options.td - Command line of tensorcast -------------*- tablegen -*-===//

include "llvm/Option/OptParser.td"

//===----------------------------------------------------------------------===//
// Commands and kinds of options
//===----------------------------------------------------------------------===//

def TextGenerate : OptionVisibility;
def ReportCommand : OptionVisibility;
def ExplainCommand : OptionVisibility;
def CompareCommand : OptionVisibility;
def OpportunitiesCommand : OptionVisibility;
def ThroughputOptimizer : OptionVisibility;
def MergeCommand : OptionVisibility;
def CostProgramCommand : OptionVisibility;

/// Those that look at one step.
defvar stepCommands = [TextGenerate, ReportCommand, ExplainCommand,
                       CompareCommand, OpportunitiesCommand,
                       CostProgramCommand];
/// Those that take a model's name.
defvar modelCommands = [TextGenerate, ThroughputOptimizer];
/// Those that show a search.
defvar searchCommands = [ThroughputOptimizer, MergeCommand];
defvar pricingCommands = !listconcat(stepCommands, [ThroughputOptimizer]);
defvar allCommands = !listconcat(pricingCommands, [MergeCommand]);

/// Accepted, with a note that there is nothing for it to do.
def noted_Group : OptionGroup<"noted">, HelpText<"NO EFFECT HERE">;
/// Accepted with the values listed; others are not built yet.
def later_Group : OptionGroup<"later">, HelpText<"ONLY THE DEFAULT YET">;

class In<list<OptionVisibility> commands> {
  list<OptionVisibility> Visibility = commands;
}

/// `--name VALUE` and `--name=VALUE`.
multiclass Value<string name, list<OptionVisibility> commands, string meta,
                 string help> {
  def NAME # _eq : Joined<["--"], name # "=">, In<commands>,
    MetaVarName<meta>, HelpText<help>;
  def NAME : Separate<["--"], name>, In<commands>,
    Alias<!cast<Option>(NAME # _eq)>;
}

/// An option of the reference that takes only its default here.
multiclass LaterValue<string name, string values, string meta> {
  def NAME # _eq : Joined<["--"], name # "=">, In<modelCommands>,
    MetaVarName<meta>, Group<later_Group>, Values<values>, Flags<[HelpHidden]>,
    HelpText<"Only " # values # " yet">;
  def NAME : Separate<["--"], name>, In<modelCommands>,
    Alias<!cast<Option>(NAME # _eq)>, Group<later_Group>, Flags<[HelpHidden]>;
}

class LaterFlag<string name> : Flag<["--"], name>, In<modelCommands>,
  Group<later_Group>, Flags<[HelpHidden]>, HelpText<"Not built yet">;

multiclass NotedValue<string name, string help> {
  def NAME # _eq : Joined<["--"], name # "=">, In<modelCommands>,
    Group<noted_Group>, Flags<[HelpHidden]>, HelpText<help>;
  def NAME : Separate<["--"], name>, In<modelCommands>,
    Alias<!cast<Option>(NAME # _eq)>, Group<noted_Group>, Flags<[HelpHidden]>;
}

class NotedFlag<string name, string help> : Flag<["--"], name>,
  In<modelCommands>, Group<noted_Group>, Flags<[HelpHidden]>, HelpText<help>;

//===----------------------------------------------------------------------===//
// All commands
//===----------------------------------------------------------------------===//

def help : Flag<["--", "-"], "help">,
  In<!listconcat([DefaultVis], allCommands)>,
  HelpText<"Print this text">;
def h : Flag<["-"], "h">, Alias<help>,
  In<!listconcat([DefaultVis], allCommands)>;
def help_hidden : Flag<["--"], "help-hidden">, In<modelCommands>,
  HelpText<"Print also the options of the reference that do nothing yet">;
def version : Flag<["--"], "version">,
  In<!listconcat([DefaultVis], allCommands)>,
  HelpText<"Print the version">;
def output : Separate<["-"], "o">, MetaVarName<"FILE">,
  In<allCommands>,
  HelpText<"Write to FILE (default: standard output)">;
defm format : Value<"format", [TextGenerate, ReportCommand, CompareCommand,
                               OpportunitiesCommand, ThroughputOptimizer,
                               MergeCommand, CostProgramCommand],
  "table|json|csv|chrome-trace|html", "How to print the report (default: table; "
  "only steps have csv, only report has chrome-trace, and only searches have "
  "html)">;
def dump_input_shapes : Flag<["--"], "dump-input-shapes">,
  In<[TextGenerate, ReportCommand]>,
  HelpText<"One row per kind of operands, not per kernel">;
def expand : Flag<["--"], "expand">, In<[TextGenerate, ReportCommand]>,
  HelpText<"Show what each kernel is made of">;

//===----------------------------------------------------------------------===//
// The workload
//===----------------------------------------------------------------------===//

defm num_queries : Value<"num-queries",
  stepCommands, "N", "Requests in the step">;
defm query_length : Value<"query-length",
  stepCommands, "N",
  "New tokens of each request">;
defm context_length : Value<"context-length",
  stepCommands, "N",
  "Tokens of each request in the cache already (default: 0)">;
def decode : Flag<["--"], "decode">,
  In<stepCommands>,
  HelpText<"A decode step: every token yields logits">;
defm prefix_cache_hit_rate : Value<"prefix-cache-hit-rate",
  pricingCommands, "RATE",
  "Share of a prefill query in the prefix cache (default: 0)">;

defm more_requests : Value<"more-requests", stepCommands, "REQUESTS",
  "Requests of another kind in the same step, as QUERIESxLENGTH[+CONTEXT]"
  "[@RATE][:decode], such as 64x1+4096:decode; may be repeated">;

defm image_batch_size : Value<"image-batch-size", pricingCommands, "N",
  "Images of each request, in front of its query (default: 0)">;
defm image_height : Value<"image-height", pricingCommands, "N",
  "Pixels from top to bottom of each image">;
defm image_width : Value<"image-width", pricingCommands, "N",
  "Pixels from left to right of each image">;

//===----------------------------------------------------------------------===//
// What it runs on
//===----------------------------------------------------------------------===//

defm device : Value<"device", pricingCommands,
  "NAME", "Device profile, or a JSON file with one (text-generate: "
  "TEST_DEVICE; else the module's)">;
defm cost_model : Value<"cost-model",
  pricingCommands, "NAME",
  "Cost model (default: that of the reference date)">;
defm kernel_coefficients : Value<"kernel-coefficients", pricingCommands, "FILE",
  "JSON file that gives kernels an efficiency and launch cost of their own">;
defm kernel_set : Value<"kernel-set", [TextGenerate, OpportunitiesCommand,
                                       ThroughputOptimizer],
  "NAME",
  "Kernel set (default: that of the reference date)">;
defm reference : Value<"reference", [TextGenerate, OpportunitiesCommand,
                                     ThroughputOptimizer],
  "DATE",
  "Reference simulator to agree with (2026.06 or 2026.08, the default)">;
defm reserved_memory_gb : Value<"reserved-memory-gb",
  pricingCommands, "GB",
  "Device memory kept for other uses (default: 0; throughput-optimizer: 10)">;

//===----------------------------------------------------------------------===//
// explain
//===----------------------------------------------------------------------===//

defm op : Value<"op", [ExplainCommand], "NAME",
  "Kernel to explain, by its own or the reference's name">;

//===----------------------------------------------------------------------===//
// cost-program
//===----------------------------------------------------------------------===//

defm workloads : Value<"workloads", [CostProgramCommand], "FILE",
  "Price the workloads of FILE: CSV with a header, or JSON, an array or an "
  "object a line">;
def kernels : Flag<["--"], "kernels">, In<[CostProgramCommand]>,
  HelpText<"Print the calls and the time of each kernel as well">;
def emit_c : Flag<["--"], "emit-c">, In<[CostProgramCommand]>,
  HelpText<"Print C source that computes the prices">;
def emit_llvm : Flag<["--"], "emit-llvm">, In<[CostProgramCommand]>,
  HelpText<"Print LLVM IR that computes the prices">;
def jit : Flag<["--"], "jit">, In<[CostProgramCommand]>,
  HelpText<"Compute the prices by code that is compiled for this machine">;

//===----------------------------------------------------------------------===//
// opportunities
//===----------------------------------------------------------------------===//

def opportunities : Flag<["--"], "opportunities">, In<[TextGenerate]>,
  HelpText<"Instead of a report, list the chains of ops that one kernel could "
  "compute, by what it would save at most">;
defm top : Value<"top", [TextGenerate, OpportunitiesCommand,
                         ThroughputOptimizer, MergeCommand], "N",
  "How many chains, or plans, to list (default: 10)">;
defm max_ops : Value<"max-ops", [TextGenerate, OpportunitiesCommand], "N",
  "Kernels of a chain at most, from 2 to 6 (default: 3)">;
defm emit_pdll : Value<"emit-pdll", [TextGenerate, OpportunitiesCommand],
  "FILE", "Write a pattern file for the first chain, or that of '--rank'">;
defm rank : Value<"rank", [TextGenerate, OpportunitiesCommand], "N",
  "Which chain of the list '--emit-pdll' is for (default: 1)">;

//===----------------------------------------------------------------------===//
// text-generate: the model
//===----------------------------------------------------------------------===//

defm model_id : Value<"model-id", modelCommands, "MODEL",
  "The model, if not given in front">;
def no_repetition : Flag<["--"], "no-repetition">, In<[TextGenerate]>,
  HelpText<"Do not merge equal layers; the price is the same">;
def disable_repetition : Flag<["--"], "disable-repetition">,
  In<[TextGenerate]>, Alias<no_repetition>;
defm families : Value<"families", modelCommands, "FILE",
  "JSON file with model families beside those that are known">;
defm num_mtp_tokens : Value<"num-mtp-tokens", modelCommands, "N",
  "Tokens that prediction layers draft beyond the next one (default: 0)">;
defm num_hidden_layers_override : Value<"num-hidden-layers-override",
  modelCommands, "N", "Keep only N layers (0: as the config says)">;
defm quantize_linear_action : Value<"quantize-linear-action", modelCommands,
  "ACTION", "DISABLED, W8A16_STATIC, W8A16_DYNAMIC, W8A8_STATIC, W8A8_DYNAMIC "
  "(default), W4A8_STATIC, W4A8_DYNAMIC, FP8 or MXFP4">;
defm quantize_non_expert_linear_action :
  Value<"quantize-non-expert-linear-action", modelCommands, "ACTION",
  "Action for all linear layers but those of routed experts (DISABLED, the "
  "default: the same)">;
defm quantize_attention_action : Value<"quantize-attention-action",
  modelCommands, "ACTION", "DISABLED (default), INT8 or FP8">;
defm mxfp4_group_size : Value<"mxfp4-group-size", modelCommands, "N",
  "Elements that share a scale in MXFP4 (default: 32)">;
def compile : Flag<["--"], "compile">, In<modelCommands>,
  HelpText<"Price the compiled model: with fusions">;

defm patterns : Value<"patterns", modelCommands, "FILE",
  "Apply the patterns of FILE as well (text-generate: and compare with the "
  "price without them); may be repeated">;

defm disable : Value<"disable", [TextGenerate], "FUSION[@LAYERS]",
  "Switch a fusion or pattern off, by its name in reports, everywhere or in some "
  "layers: fuse-attention, fuse-norm.residual@model.layers.*; may be repeated">;

defm high_precision : Value<"high-precision", [TextGenerate], "NAME[@LAYERS]",
  "Keep an op (rms_norm, layer_norm, rope, softmax, linear, attention) or a "
  "weight (*.down_proj) in high precision, everywhere or in some layers; may be "
  "repeated">;
defm preset : Value<"preset", [TextGenerate], "PRESET",
  "inference (default) or training: the forward pass, with no quantization "
  "unless asked for and all that the gradient reads kept">;

defm fusion_report : Value<"fusion-report", [TextGenerate], "FILE",
  "Write what was fused, what nearly was and why not: text, or JSON if FILE "
  "ends in .json">;

defm chrome_trace_file : Value<"chrome-trace-file", modelCommands, "FILE",
  "Write when each kernel runs (throughput-optimizer: in a decode step of the "
  "best plan, or that of '--explain'), for Perfetto and chrome://tracing">;
def chrome_trace_eq : Joined<["--"], "chrome-trace=">, In<modelCommands>,
  Alias<chrome_trace_file_eq>, Flags<[HelpHidden]>;
def chrome_trace : Separate<["--"], "chrome-trace">, In<modelCommands>,
  Alias<chrome_trace_file_eq>, Flags<[HelpHidden]>;

//===----------------------------------------------------------------------===//
// text-generate: devices
//===----------------------------------------------------------------------===//

defm num_devices : Value<"num-devices", modelCommands, "N",
  "Devices that run the model (default: 1)">;
defm tp_size : Value<"tp-size", [TextGenerate], "N",
  "Devices that share each layer (default: 1)">;
defm dp_size : Value<"dp-size", [TextGenerate], "N",
  "Groups that share the requests (default: devices / (tp * pp))">;
defm pp_size : Value<"pp-size", [TextGenerate], "N",
  "Stages that share the layers, each on its share of the devices (default: "
  "1)">;
defm o_proj_tp_size : Value<"o-proj-tp-size", [TextGenerate], "N",
  "Devices that share the attention output (default: tp)">;
defm o_proj_dp_size : Value<"o-proj-dp-size", [TextGenerate], "N",
  "Groups of those (default: devices / o-proj-tp)">;
defm mlp_tp_size : Value<"mlp-tp-size", [TextGenerate], "N",
  "Devices that share the MLP (default: tp)">;
defm mlp_dp_size : Value<"mlp-dp-size", [TextGenerate], "N",
  "Groups of those (default: devices / mlp-tp)">;
defm lmhead_tp_size : Value<"lmhead-tp-size", [TextGenerate], "N",
  "Devices that share the head (default: tp)">;
defm lmhead_dp_size : Value<"lmhead-dp-size", [TextGenerate], "N",
  "Groups of those (default: devices / lmhead-tp)">;
defm word_embedding_tp : Value<"word-embedding-tp", modelCommands, "SPLIT",
  "Split of the word embedding: none (default), col (features) or row "
  "(vocabulary)">;
defm dcp_size : Value<"dcp-size", [TextGenerate], "N",
  "Devices of a tensor-parallel group that share the cached tokens of a decode "
  "step (default: 1)">;
defm ep_size : Value<"ep-size", [TextGenerate], "N",
  "Devices that share the experts (default: 1)">;
defm moe_tp_size : Value<"moe-tp-size", [TextGenerate], "N",
  "Devices that share the matrices of each expert (default: devices / (ep * "
  "moe-dp))">;
defm vision_tp_size : Value<"vision-tp-size", [TextGenerate], "N",
  "Devices that share the vision tower (default: 1)">;
defm moe_dp_size : Value<"moe-dp-size", [TextGenerate], "N",
  "Groups of devices that each have all experts (default: 1)">;
def enable_redundant_experts : Flag<["--"], "enable-redundant-experts">,
  In<modelCommands>, HelpText<"Let each device hold a copy of one more expert">;
def enable_shared_expert_tp : Flag<["--"], "enable-shared-expert-tp">,
  In<modelCommands>, HelpText<"Split the shared expert as the MLP">;
def enable_external_shared_experts :
  Flag<["--"], "enable-external-shared-experts">, In<[TextGenerate]>,
  HelpText<"Let devices of their own hold the shared expert">;
def host_external_shared_experts :
  Flag<["--"], "host-external-shared-experts">, In<[TextGenerate]>,
  HelpText<"Price a device that holds the shared expert">;
def compilation_config_eq : CommaJoined<["--"], "compilation-config=">,
  In<modelCommands>, MetaVarName<"NAMES">,
  HelpText<"Passes of --compile to switch on: enable-matmul-allreduce, "
           "enable-sequence-parallel, enable-multistream, "
           "enable-dispatch-ffn-combine">;

//===----------------------------------------------------------------------===//
// throughput-optimizer
//===----------------------------------------------------------------------===//

class SearchFlag<string name, string help> : Flag<["--"], name>,
  In<[ThroughputOptimizer]>, HelpText<help>;
multiclass SearchValue<string name, string meta, string help> :
  Value<name, [ThroughputOptimizer], meta, help>;

/// `--name`, another spelling of the option `target`.
multiclass SearchAlias<string name, string target> {
  def NAME # _eq : Joined<["--"], name # "=">, In<[ThroughputOptimizer]>,
    Alias<!cast<Option>(target # "_eq")>, Flags<[HelpHidden]>;
  def NAME : Separate<["--"], name>, In<[ThroughputOptimizer]>,
    Alias<!cast<Option>(target # "_eq")>, Flags<[HelpHidden]>;
}

defm devices : SearchAlias<"devices", "device">;
defm input_length : SearchValue<"input-length", "N|FILE",
  "Tokens of each prompt, or a file with lengths: YAML bins, a CSV or JSON "
  "lines trace">;
defm output_length : SearchValue<"output-length", "N",
  "Tokens of each answer (not needed where a trace has them)">;
defm tp_sizes : SearchValue<"tp-sizes", "N...",
  "Tensor-parallel sizes to try; without numbers all powers of two (default "
  "where no sizes are given: all powers of two)">;
defm ep_sizes : SearchValue<"ep-sizes", "N...",
  "Expert-parallel sizes to try (default: the number of devices)">;
defm moe_dp_sizes : SearchValue<"moe-dp-sizes", "N...",
  "Numbers of groups that each have all experts (default: 1)">;
defm dcp_sizes : SearchValue<"dcp-sizes", "N...",
  "Numbers of devices that share cached tokens in decode (default: 1)">;
defm mtp_acceptance_rates : SearchValue<"mtp-acceptance-rates", "RATE...",
  "Share of each drafted token that is right (default: 0.9 0.6 0.4 0.2)">;
defm max_batched_tokens : SearchValue<"max-batched-tokens", "N",
  "New tokens of a prefill step for each group of devices (default: 4, 2 or 1 "
  "times the prompt, the first that fits; 8192 where prompts differ)">;
defm batch_range : SearchValue<"batch-range", "[MIN] MAX",
  "Requests of each group of devices to try (default: from 1)">;
defm serving_cost : SearchValue<"serving-cost", "MS",
  "What serving adds to each prefill, where that is apart from decode "
  "(default: 0)">;
defm ttft_limits : SearchValue<"ttft-limits", "MS",
  "Mean time to the first token at most">;
defm ttft_limit : SearchAlias<"ttft-limit", "ttft_limits">;
defm tpot_limits : SearchValue<"tpot-limits", "MS",
  "Mean time per output token at most">;
defm tpot_limit : SearchAlias<"tpot-limit", "tpot_limits">;
def disagg : SearchFlag<"disagg",
  "Search prefill (with '--ttft-limits') or decode ('--tpot-limits') alone, or "
  "both, each for itself">;
def enable_optimize_prefill_decode_ratio :
  SearchFlag<"enable-optimize-prefill-decode-ratio",
  "Search for prefill and decode plans that go together">;
defm prefill_devices_per_instance :
  SearchValue<"prefill-devices-per-instance", "N",
  "Devices of an instance for prefill (default: all)">;
defm decode_devices_per_instance :
  SearchValue<"decode-devices-per-instance", "N",
  "Devices of an instance for decode (default: all)">;
defm max_search_combinations : SearchValue<"max-search-combinations", "N",
  "Say so if there are more plans (default: 100; 0: never)">;
def pareto : SearchFlag<"pareto",
  "Show which batches of all plans are best in tokens per second and device, or "
  "for each user">;
defm precisions : SearchValue<"precisions", "ACTION...",
  "Quantizations of linear layers to try, beside each other; without names the "
  "dynamic ones and none">;
defm fusions : SearchValue<"fusions", "NAME...",
  "Fusions to try: eager, compile, or compile with passes "
  "(compile+matmul-allreduce); without names eager, compile and compile with "
  "each pass">;
defm explain : SearchValue<"explain", "PLAN",
  "Say what bounds a plan, given by its rank or some of its sizes (1, or "
  "'TP=8 DCP=2'), and what changes of the device would be worth">;
def sensitivity : SearchFlag<"sensitivity",
  "Say what changes of the device would be worth to the best plan">;
defm shard : SearchValue<"shard", "K/N",
  "Search only each Nth plan, from the Kth; 'tensorcast merge' joins the JSON "
  "reports of all N">;
def progress : SearchFlag<"progress",
  "Say how far the search is, even if nobody looks at a terminal">;
defm jobs : Value<"jobs", modelCommands, "N",
  "Threads of a search (default: one for each core)">;
def j : Separate<["-"], "j">, In<modelCommands>, Alias<jobs_eq>;

//===----------------------------------------------------------------------===//
// text-generate: options of the reference without a meaning here
//===----------------------------------------------------------------------===//

defm log_level : NotedValue<"log-level", "Diagnostics are always printed">;
defm remote_source : NotedValue<"remote-source", "Configs are local files">;
def compile_allow_graph_break : NotedFlag<"compile-allow-graph-break",
  "There is no graph capture that could break">;
def dump_original_results : NotedFlag<"dump-original-results",
  "JSON has every batch that was tried">;
defm concurrency_search_strategy : NotedValue<"concurrency-search-strategy",
  "Batches are found by doubling and bisection; prices are cheap">;
def quantize_lmhead : NotedFlag<"quantize-lmhead",
  "The head stays unquantized, as in the reference">;
def dump_op_bound_results : NotedFlag<"dump-op-bound-results",
  "Reports always say what bounds a kernel">;

//===----------------------------------------------------------------------===//
// text-generate: options of the reference that take only their default yet
//===----------------------------------------------------------------------===//

defm performance_model : LaterValue<"performance-model", "analytic", "MODEL">;
defm speculative_method : LaterValue<"speculative-method", "none", "METHOD">;
defm num_speculative_tokens : LaterValue<"num-speculative-tokens", "0", "N">;
defm num_draft_layers : LaterValue<"num-draft-layers", "0", "N">;
defm draft_model_config_path :
  LaterValue<"draft-model-config-path", "none", "FILE">;
defm dspark_markov_rank : LaterValue<"dspark-markov-rank", "256", "N">;
defm dspark_markov_head :
  LaterValue<"dspark-markov-head", "vanilla", "HEAD">;
defm profiling_database_path :
  LaterValue<"profiling-database-path", "none", "DIR">;
defm profiling_database : LaterValue<"profiling-database", "none", "DIR">;
defm export_empirical_metrics_file :
  LaterValue<"export-empirical-metrics-file", "none", "FILE">;
defm graph_log_path : LaterValue<"graph-log-path", "none", "FILE">;
defm graph_log_url : LaterValue<"graph-log-url", "none", "FILE">;
defm graph_log_file : LaterValue<"graph-log-file", "none", "FILE">;
def disable_profiling_interpolation :
  LaterFlag<"disable-profiling-interpolation">;
def fusion_plugin_eq : Joined<["--"], "fusion-plugin=">, In<modelCommands>,
  Flags<[HelpHidden]>, HelpText<"Refused: fusions are pattern files here">;
def fusion_plugin : Separate<["--"], "fusion-plugin">, In<modelCommands>,
  Alias<fusion_plugin_eq>, Flags<[HelpHidden]>;
