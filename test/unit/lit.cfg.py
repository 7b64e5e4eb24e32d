"""lit's settings for the GoogleTest programs."""

import lit.formats

config.name = "tensorcast-unit"
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.suffixes = []
config.test_source_root = config.test_exec_root = config.unit_programs_dir
config.environment.update(config.instrumentation)
