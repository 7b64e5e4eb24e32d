#!/usr/bin/env bash
# From a bare Debian 12 to the price of a model: installs what is missing,
# builds, imports Qwen3-32B and prices a prefill of two requests.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

scripts/setup.sh
configure_and_build tc-import tensorcast

# run COMMAND... shows the command as a user would type it, then runs it.
run() {
  printf '\n$ %s\n' "$*" >&2
  "$@"
}

run build/bin/tc-import Qwen/Qwen3-32B -o build/qwen3-32b.mlir
run build/bin/tensorcast text-generate Qwen/Qwen3-32B \
  --num-queries 2 --query-length 3500 --device TEST_DEVICE
