"""lit's settings for the tests of the programs."""

import os
import sys

import lit.formats
from lit.llvm import llvm_config

config.name = "tensorcast"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Package", "bench", "plugins",
                   "unit"]
config.test_source_root = os.path.dirname(__file__)
config.environment.update(config.instrumentation)
# Compiled patterns are kept beside the tests, not with the user's.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root,
                                                    "cache")

config.substitutions.append(("%source_root", config.tensorcast_source_dir))
config.substitutions.append(("%tools", config.tensorcast_tools_dir))
config.substitutions.append(("%plugins", config.tensorcast_plugins_dir))
config.substitutions.append(("%cc", config.c_compiler))
config.substitutions.append(("%python", f'"{sys.executable}"'))
# `not` accepts any failure; this checks the exit status.
config.substitutions.append(
    ("%exits",
     f'"{sys.executable}" -S "{config.test_source_root}/exit_status.py"'))

# FileCheck, not, split-file and the like come with LLVM; they are not on
# Debian's PATH under these names.
llvm_config.with_environment(
    "PATH", [config.tensorcast_tools_dir, config.llvm_tools_dir],
    append_path=True)
