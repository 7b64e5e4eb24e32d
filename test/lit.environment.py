"""What instrumented programs need in their environment, for every suite."""

import os

config.instrumentation = {
    # MLIR's archives are not instrumented: containers that cross between them
    # and the project's code, and memory that LLVM's allocators poison in one
    # and hand out in the other, look like errors.
    "ASAN_OPTIONS": "detect_container_overflow=0:allow_user_poisoning=0:"
                    "detect_odr_violation=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
# Coverage writes one profile per process; scripts/coverage.sh says where.
if "LLVM_PROFILE_FILE" in os.environ:
    config.instrumentation["LLVM_PROFILE_FILE"] = (
        os.environ["LLVM_PROFILE_FILE"])
