//===- Options.td - Command line of tc-reduce --------------*- tablegen -*-===//

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
  HelpText<"Write the smallest module to FILE (default: standard output)">;
defm test : Value<"test", "COMMAND",
  "Shell command that a module shows the problem for if it succeeds; gets the "
  "module's file as its last argument">;
defm max_tests : Value<"max-tests", "N",
  "Stop after N runs of the test (default: 10000)">;
def quiet : Flag<["--"], "quiet">, HelpText<"Do not say how far it is">;
