"""Breaks the example patterns in many ways, and looks at what tc-opt says.

Arguments: the root of the sources, a folder for files.
"""

import os
import re
import subprocess
import sys
import time

MAX_SECONDS = 10
ERROR = re.compile(r"^(?P<place>[^\s:]+:\d+:\d+): error: (?P<text>.*)$",
                   re.MULTILINE)
CRASH = re.compile(r"Stack dump|PLEASE submit|LLVM ERROR|Assertion|UNREACHABLE"
                   r"|AddressSanitizer|terminate called")
INCLUDE = '#include "Transformer.pdll"\n'

# (what is wrong, file, text, its replacement, what the message must say)
EDITS = [
    # Names.
    ("misspelt op to match", "norm-linear", "op<transformer.rms_norm>",
     "op<transformer.rms_nrom>", "did you mean 'transformer.rms_norm'?"),
    ("misspelt root", "rope-cache", "op<transformer.append_cache>",
     "op<transformer.apend_cache>",
     "did you mean 'transformer.append_cache'?"),
    ("unknown dialect", "swiglu-down", "op<transformer.swiglu>",
     "op<transfomer.swiglu>", "unknown dialect 'transfomer'"),
    ("misspelt constraint", "norm-linear", "HasOneUse(", "HasOneUser(",
     "did you mean 'HasOneUse'?"),
    ("misspelt rewrite", "swiglu-down", "with Fuse(", "with Fuze(",
     "did you mean 'Fuse'?"),
    ("declared but unknown constraint", "add-all-reduce", INCLUDE,
     INCLUDE + "Constraint HasOneUze(value: Value);\n"
     "Pattern P { let root = op<transformer.add>(x: Value, y: Value);\n"
     "HasOneUze(x); erase root; }\n", "did you mean 'HasOneUse'?"),
    ("declared but unknown rewrite", "add-all-reduce", INCLUDE,
     INCLUDE + "Rewrite Merge(op: Op);\n"
     "Pattern P { let root = op<transformer.add>;\n"
     "rewrite root with { Merge(root); }; }\n",
     "unknown native rewrite 'Merge'"),
    ("unknown variable", "norm-linear", "HasOneUse(norm.0)",
     "HasOneUse(nrom.0)", "unknown name 'nrom'"),
    ("variable of no use elsewhere", "norm-linear", "(norm.0, weight: Value",
     "(narm.0, weight: Value", "unknown name 'narm'"),
    ("unknown result name", "rope-cache", "HasOneUse(rotated.1)",
     "HasOneUse(rotated.kee)", "invalid member access `kee`"),
    ("result that the op does not have", "norm-linear", "HasOneUse(norm.0)",
     "HasOneUse(norm.7)", "invalid member access `7`"),
    ("unknown attribute", "swiglu-down", "up: Value);",
     "up: Value) {epz = attr<\"1\">};", "expected no attributes of 'transformer.swiglu', but got 'epz'"),
    ("misspelt attribute", "norm-linear", "x: Value, scale: Value);",
     "x: Value, scale: Value) {epz = attr<\"1.0e-6\">};",
     "'transformer.rms_norm': unknown attribute 'epz'; did you mean 'eps'?"),
    ("unknown type of a value", "norm-linear", "x: Value", "x: Valeu",
     "Valeu"),
    # Numbers of things.
    ("too many operands", "swiglu-down", "(gate: Value, up: Value)",
     "(gate: Value, up: Value, more: Value)",
     "expected 2, but got 3"),
    ("too few operands", "norm-linear", "(x: Value, scale: Value)",
     "(x: Value)",
     "expected 'transformer.rms_norm' with 2 operands, but got 1"),
    ("too few operand groups", "swiglu-down",
     "                                              weight_scale: Value,\n",
     "", "expected 5, but got 4"),
    ("too many results", "norm-linear", "bias: ValueRange);",
     "bias: ValueRange) -> (t: Type, u: Type);", "expected 1, but got 2"),
    ("too few arguments", "norm-linear", "RowFitsBuffer(norm.0, "
     "attr<\"196608\">)", "RowFitsBuffer(norm.0)", "expected 2, but got 1"),
    ("too many arguments", "norm-linear", "HasOneUse(norm.0)",
     "HasOneUse(norm.0, x)", "expected 1, but got 2"),
    ("fusing nothing", "swiglu-down", "(gated.0, root.0)", "()",
     "at least one value to fuse"),
    # Kinds of things.
    ("attribute for a value", "norm-linear", "HasOneUse(norm.0)",
     "HasOneUse(attr<\"1\">)", "unable to convert expression of type `Attr`"),
    ("text for a number", "norm-linear", "attr<\"196608\">",
     "attr<\"\\\"wide\\\"\">", "expected an integer"),
    ("type for a number", "norm-linear", "attr<\"196608\">", "attr<\"f16\">",
     "expected an integer"),
    ("no attribute at all", "norm-linear", "attr<\"196608\">",
     "attr<\"196608 bytes\">", "found trailing characters: 'bytes'"),
    ("attribute that nothing gives", "norm-linear", "attr<\"196608\">",
     "bytes: Attr", "but got one without a value"),
    ("kernel without a name", "swiglu-down", "attr<\"\\\"swiglu_linear\\\"\">",
     "attr<\"\\\"\\\"\">", "with the name of a kernel"),
    ("number for the name of a kernel", "swiglu-down",
     "attr<\"\\\"swiglu_linear\\\"\">", "attr<\"1\">",
     "with the name of a kernel"),
    ("fusing an input", "swiglu-down", "(gated.0, root.0)", "(gate, root.0)",
     "results of ops that the pattern matches"),
    # What the rewrite does.
    ("made op that does not exist", "swiglu-down",
     "Fuse(attr<\"\\\"swiglu_linear\\\"\">, (gated.0, root.0))",
     "op<transformer.swiglu_linaer>(gate, up, weight) -> (root.0)",
     "transformer.swiglu_linaer"),
    ("made op with invalid types", "add-all-reduce",
     "Fuse(attr<\"\\\"all_reduce_add\\\"\">, (reduced.0, root.0))",
     "op<transformer.rms_norm>(part, residual) "
     "-> (type<\"tensor<7x8xf16>\">)", "makes an invalid op"),
    ("replacement of another type", "swiglu-down",
     "Fuse(attr<\"\\\"swiglu_linear\\\"\">, (gated.0, root.0))", "gated.0",
     "expected 'tensor<7x4xf16>', but got 'tensor<7x8xf16>'"),
    ("replacement by another number of values", "add-all-reduce",
     "Fuse(attr<\"\\\"all_reduce_add_rms_norm\\\"\">,\n"
     "                           (reduced.0, root.0))", "reduced.0",
     "replaces the 2 results of 'transformer.add_rms_norm' by 1 values"),
    ("op that replaces itself", "add-all-reduce",
     "Fuse(attr<\"\\\"all_reduce_add\\\"\">, (reduced.0, root.0))", "root.0",
     "whose result is still read"),
    ("op that is erased while it is read", "swiglu-down",
     "replace root with Fuse(attr<\"\\\"swiglu_linear\\\"\">, (gated.0, root.0))",
     "erase root", "whose result is still read"),
    ("loop: an op is made again", "add-all-reduce",
     "Fuse(attr<\"\\\"all_reduce_add\\\"\">, (reduced.0, root.0))",
     "op<transformer.add>(residual, reduced.0)", "comes to no end"),
    ("op that is used before it is there", "add-all-reduce",
     "replace root with Fuse(attr<\"\\\"all_reduce_add\\\"\">, "
     "(reduced.0, root.0))",
     "replace reduced with op<transformer.neg>(root.0) "
     "-> (type<\"tensor<7x8xf16>\">)", "which comes after it"),
    ("rewrite without a root", "swiglu-down",
     "rewrite root with {", "rewrite with {", "expected"),
    ("pattern without a rewrite", "swiglu-down",
     "  rewrite root with {\n    replace root with "
     "Fuse(attr<\"\\\"swiglu_linear\\\"\">, (gated.0, root.0));\n  };\n", "",
     "expected Pattern body to terminate with an operation rewrite"),
    ("constraint in a rewrite", "swiglu-down", "rewrite root with {\n",
     "rewrite root with {\n    HasOneUse(gated.0);\n", "Constraint"),
    ("rewrite among conditions", "swiglu-down", "  HasOneUse(gated.0);\n",
     "  Fuse(attr<\"\\\"k\\\"\">, gated);\n", "Fuse"),
    # The text itself.
    ("missing semicolon", "swiglu-down", "HasOneUse(gated.0);",
     "HasOneUse(gated.0)", "expected"),
    ("missing bracket", "rope-cache", "cache: Value, batch: Value);",
     "cache: Value, batch: Value;", "expected"),
    ("unclosed string", "norm-linear", "attr<\"196608\">", "attr<\"196608>",
     "expected"),
    ("include that does not exist", "norm-linear", "Transformer.pdll",
     "Transfomer.pdll", "Transfomer.pdll"),
    ("without the include", "norm-linear", INCLUDE, "",
     "'HasOneUse' is declared by \"Transformer.pdll\""),
    ("two patterns of one name", "rope-cache", "Pattern RopeCache",
     "Pattern RopePairCache", "RopePairCache"),
    ("unnamed pattern", "swiglu-down", "Pattern SwigluDown {", "Pattern {",
     "expected a pattern with a name"),
    ("root without a name", "swiglu-down",
     "let root = op<transformer.linear>(gated.0, weight: Value, "
     "bias: ValueRange);", "let root = op<>(gated.0, weight: Value, "
     "bias: ValueRange);", "expected the root of a pattern to have a name"),
]

# (what is wrong, the file, what the message must say)
TEXTS = [
    ("name of a kernel without attr",
     INCLUDE + "Pattern P { let root = op<transformer.add>(x: Value, y: Value);\n"
     'rewrite root with { replace root with Fuse("k", (root.0)); }; }\n',
     'a name is written attr<"\\"name\\"">'),
    ("number without attr",
     INCLUDE + "Pattern P { let root = op<transformer.add>(x: Value, y: Value);\n"
     "HasRank(x, 2); erase root; }\n",
     'a number is written attr<"128">'),
    ("a block loses its end",
     INCLUDE + "Pattern P { let root = op<func.return>(v: ValueRange);\n"
     "erase root; }\n",
     "takes away 'func.return', which ends its block"),
    ("declared with another signature",
     "Constraint HasOneUse(a: Value, b: Value);\n"
     '#include "Transformer/TransformerOps.td"\n'
     "Pattern P { let root = op<transformer.add>(x: Value, y: Value);\n"
     "HasOneUse(x, y); erase root; }\n",
     "expected HasOneUse(value: Value), but got arguments (Value, Value)"),
    ("loop: two patterns undo each other",
     INCLUDE + "Pattern Forth {\n"
     "  let root = op<transformer.add>(x: Value, y: Value) -> (t: Type);\n"
     "  replace root with op<transformer.mul>(x, y) -> (t);\n}\n"
     "Pattern Back {\n"
     "  let root = op<transformer.mul>(x: Value, y: Value) -> (t: Type);\n"
     "  replace root with op<transformer.add>(x, y) -> (t);\n}\n",
     "comes to no end"),
    ("made op with a result too many",
     INCLUDE + "Pattern P {\n"
     "  let root = op<transformer.add>(x: Value, y: Value) -> (t: Type);\n"
     "  replace root with op<transformer.neg>(x) -> (t, t);\n}\n",
     "invalid number of result groups for `transformer.neg`"),
    ("made op that is unknown",
     INCLUDE + "Pattern P {\n"
     "  let root = op<transformer.add>(x: Value, y: Value) -> (t: Type);\n"
     "  replace root with op<transformer.nge>(x) -> (t);\n}\n",
     "unknown op 'transformer.nge'; did you mean 'transformer.neg'?"),
    ("fused twice",
     INCLUDE + "Pattern P {\n"
     "  let sum = op<transformer.all_reduce>(x: Value);\n"
     "  let root = op<transformer.add>(y: Value, sum.0);\n"
     "  rewrite root with {\n"
     "    let kernel = Fuse(attr<\"\\\"a\\\"\">, (sum.0, root.0));\n"
     "    replace root with Fuse(attr<\"\\\"b\\\"\">, kernel);\n  };\n}\n",
     "results of ops that the pattern matches"),
]

PDL = """pdl.pattern @p : benefit(1) {
  %x = operand
  %y = operand
  %t = type
  %root = operation "transformer.add"(%x, %y : !pdl.value, !pdl.value)
      -> (%t : !pdl.type)
  HOLDS
  rewrite %root {
    DOES
  }
}
"""


def pdl(holds="", does="erase %root"):
    return PDL.replace("HOLDS", holds).replace("DOES", does)


def pdl_files():
    """Yields (what, name, content, message)."""
    yield ("PDL that does not parse", "a.mlir",
           pdl().replace("benefit", "benefti"), "expected 'benefit'")
    yield ("PDL cut off", "b.mlir", pdl()[:120], "b.mlir:")
    yield ("PDL with an unknown constraint", "c.mlir",
           pdl('apply_native_constraint "HasOneUze"(%x : !pdl.value)'),
           "did you mean 'HasOneUse'?")
    yield ("PDL with wrong arguments", "d.mlir",
           pdl('apply_native_constraint "HasRank"(%x : !pdl.value)'),
           "expected HasRank(value: Value, rank: Attr), but got arguments "
           "(Value)")
    yield ("PDL with an unknown op", "e.mlir",
           pdl().replace("transformer.add", "transformer.ad"),
           "unknown op 'transformer.ad'")
    yield ("PDL for an op without results", "j.mlir",
           pdl().replace("      -> (%t : !pdl.type)\n", "").replace(
               "  %t = type\n", ""),
           "expected 'transformer.add' with 1 results, but got 0")
    yield ("PDL that erases what is read", "f.mlir", pdl(),
           "whose result is still read")
    yield ("a rewrite that is a function", "g.mlir",
           pdl().split("  rewrite")[0] + '  rewrite %root with "mine"\n}\n',
           "but got the function 'mine'")
    yield ("a module of functions", "h.mlir", "func.func private @f()\n",
           "expected only patterns in the file, but got 'func.func'")
    yield ("brackets without an end", "i.mlir", "(" * 3000000,
           "")


def files(folder):
    """Yields (what, path, message) of files that are no edits."""
    def write(name, content):
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes)
                       else content.encode())
        return path

    for what, name, content, message in pdl_files():
        yield what, write(name, content), message
    good = write("good.mlir", pdl(does="replace %root with (%x : !pdl.value)"))
    code = write("good.mlirbc", b"")
    subprocess.run(["mlir-opt", good, "--emit-bytecode", "-o", code],
                   check=True)
    with open(code, "rb") as file:
        code = file.read()
    yield ("half of bytecode", write("half.mlirbc", code[:len(code) // 2]), "")
    for at in (1, len(code) // 3, 2 * len(code) // 3):
        damaged = code[:at] + bytes(255 - b for b in code[at:at + 8]) + (
            code[at + 8:])
        yield f"damaged bytecode at {at}", write(f"d{at}.mlirbc", damaged), ""
    yield "an empty file", write("empty.pdll", ""), "the file is empty"
    yield "only a comment", write("none.pdll", "// nothing\n"), (
        "at least one pattern in the file")
    yield "bytes", write("bytes.pdll", bytes(range(256)) * 16), "zero bytes"
    yield ("bytes without zero", write("odd.pdll", bytes(range(1, 256)) * 16),
           "")
    yield ("braces without an end", write("deep.pdll", "Pattern " +
                                          "{" * 3000000), "")
    loop = write("loop.pdll", '#include "loop.pdll"\n')
    yield "a file that includes itself", loop + " include=" + folder, (
        "do files include each other?")
    yield "a folder", folder, "directory"
    pipe = os.path.join(folder, "pipe.pdll")
    if not os.path.exists(pipe):
        os.mkfifo(pipe)
    yield "a pipe that nobody writes to", pipe, "expected a regular file"
    yield "no file", os.path.join(folder, "missing.pdll"), "missing.pdll"
    large = os.path.join(folder, "large.pdll")
    with open(large, "wb") as file:
        file.truncate(100_000_000)
    yield "100 MB", large, "expected a pattern file of at most"


class Mutations:
    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.count = self.failures = 0

    def check(self, what, path, module, message):
        self.count += 1
        start = time.monotonic()
        try:
            done = subprocess.run(
                ["tc-opt", module, "--transformer-apply-patterns=file=" + path,
                 "-o", os.devnull], capture_output=True, timeout=MAX_SECONDS)
        except subprocess.TimeoutExpired:
            return self.fail(what, f"no end after {MAX_SECONDS} s")
        text = done.stderr.decode(errors="replace")
        errors = ERROR.findall(text)
        # What cannot be read at all has no line.
        has_place = bool(errors) or not os.path.isfile(path.split()[0])
        if done.returncode != 1:
            return self.fail(what, f"exit status {done.returncode}\n{text}")
        if CRASH.search(text):
            return self.fail(what, text)
        if not has_place or "error: " not in text:
            return self.fail(what, "no error with a place\n" + text)
        if message not in text:
            return self.fail(what, f"expected '{message}' in\n{text}")
        first = errors[0][1] if errors else text.splitlines()[0]
        print(f"{what} ({time.monotonic() - start:.1f} s): {first[:200]}")
        return None

    def fail(self, what, why):
        self.failures += 1
        print(f"FAILED {what}: {why[:2000]}")

    def module(self, name):
        """The functions of a test, without what it expects."""
        path = os.path.join(self.folder, name + ".mlir")
        with open(os.path.join(self.root, "test", "Patterns",
                               name + ".mlir")) as file:
            lines = [line for line in file if "//" not in line]
        with open(path, "w") as file:
            file.writelines(lines)
        return path

    def edit(self, what, name, old, new, message):
        path = os.path.join(self.root, "examples", "patterns", name + ".pdll")
        with open(path) as file:
            text = file.read()
        if old not in text:
            return self.fail(what, f"'{old}' is not in {path}")
        path = os.path.join(self.folder, what.replace(" ", "-").replace(
            ":", "") + ".pdll")
        with open(path, "w") as file:
            file.write(text.replace(old, new, 1))
        return self.check(what, path, self.module(name), message)


def main():
    root, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    mutations = Mutations(root, folder)
    for edit in EDITS:
        mutations.edit(*edit)
    for what, text, message in TEXTS:
        path = os.path.join(folder, "text.pdll")
        with open(path, "w") as file:
            file.write(text)
        mutations.check(what, path, mutations.module("add-all-reduce"),
                        message)
    for what, path, message in files(folder):
        mutations.check(what, path, mutations.module("add-all-reduce"),
                        message)
    os.remove(os.path.join(folder, "large.pdll"))
    print(f"{mutations.count} mutations, {mutations.failures} failed")
    sys.exit(mutations.failures > 0)


main()
