//===- Options.td - Command line of tc-verify --------------*- tablegen -*-===//

include "llvm/Option/OptParser.td"

/// `--name VALUE` and `--name=VALUE`.
multiclass Value<string name, string meta, string help> {
  def NAME # _eq : Joined<["--"], name # "=">, MetaVarName<meta>,
    HelpText<help>;
  def NAME : Separate<["--"], name>, Alias<!cast<Option>(NAME # _eq)>;
}

def help : Flag<["--", "-"], "help">, HelpText<"Print this text">;
def h : Flag<["-"], "h">, Alias<help>;
def version : Flag<["--"], "version">, HelpText<"Print the version">;
def output : Separate<["-"], "o">, MetaVarName<"FILE">,
  HelpText<"Write the verdict to FILE (default: standard output)">;
defm format : Value<"format", "text|json",
  "How to print the verdict (default: text)">;
defm pipeline : Value<"pipeline", "PASSES",
  "Run these passes on the last file before comparing, as in "
  "transformer-decompose{level=primitive}">;

defm num_queries : Value<"num-queries", "N",
  "Requests in the step, if the modules are not bound (default: 2)">;
defm query_length : Value<"query-length", "N",
  "New tokens of each request (default: 5)">;
defm context_length : Value<"context-length", "N",
  "Tokens of each request in the cache already (default: 3 for a model with "
  "caches)">;
defm image_batch_size : Value<"image-batch-size", "N",
  "Images of each request (default: 1 for a model with a vision tower)">;
defm image_height : Value<"image-height", "N",
  "Pixels from top to bottom of each image (default: two cells)">;
defm image_width : Value<"image-width", "N",
  "Pixels from left to right of each image (default: three cells)">;
def decode : Flag<["--"], "decode">,
  HelpText<"A decode step: every token yields logits">;

defm seed : Value<"seed", "N", "Run on other values (default: 0)">;
def f32 : Flag<["--"], "f32">,
  HelpText<"Compute in f32 what is in f16 or bf16: a sharper test">;
defm tolerance : Value<"tolerance", "X",
  "Largest error relative to the largest magnitude (default: 0.01 for f16, "
  "1e-5 for f32)">;
defm min_cosine : Value<"min-cosine", "X",
  "Least cosine between two results (default: 0.999, or 0.98 if one side is "
  "quantized to less than 8 bits)">;
defm max_operations : Value<"max-operations", "N",
  "Refuse modules of more operations (default: 4e9)">;
defm max_bytes : Value<"max-bytes", "N",
  "Refuse modules with more bytes of tensors (default: 4e9)">;
