//===- Options.td - Command line of tc-import --------------*- tablegen -*-===//

include "llvm/Option/OptParser.td"

def help : Flag<["--", "-"], "help">, HelpText<"Print this text">;
def h : Flag<["-"], "h">, Alias<help>;
def version : Flag<["--"], "version">, HelpText<"Print the version">;
def list_presets : Flag<["--"], "list">, HelpText<"List the models that come with TensorCast">;
def reduced : Flag<["--"], "reduced">,
  HelpText<"Keep the structure, make the sizes small; two layers">;
def output : Separate<["-"], "o">, MetaVarName<"FILE">,
  HelpText<"Write the module to FILE (default: standard output)">;
def layers_eq : Joined<["--"], "num-hidden-layers-override=">, MetaVarName<"N">,
  HelpText<"Keep only N layers (0: as the config says)">;
def layers : Separate<["--"], "num-hidden-layers-override">, Alias<layers_eq>;
def families_eq : Joined<["--"], "families=">, MetaVarName<"FILE">,
  HelpText<"JSON file with model families beside those that are known">;
def families : Separate<["--"], "families">, Alias<families_eq>;
def mtp_eq : Joined<["--"], "num-mtp-tokens=">, MetaVarName<"N">,
  HelpText<"Tokens that prediction layers draft beyond the next one (default: 0)">;
def mtp : Separate<["--"], "num-mtp-tokens">, Alias<mtp_eq>;
def images : Flag<["--"], "images">,
  HelpText<"Let the model look at images: with its vision tower">;
def completion : Flag<["--"], "completion">,
  HelpText<"Print a completion script for bash">;
