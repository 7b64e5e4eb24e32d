#!/usr/bin/env bash
# Which lines of the project the tests run: builds the `coverage` preset, runs
# the tests, prints a table and writes build-coverage/coverage/index.html.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
scripts/setup.sh libclang-rt-22-dev

build=build-coverage
llvm=/usr/lib/llvm-22/bin
cmake --preset coverage >/dev/null
ninja -C $build >&2

rm -rf $build/profiles
# %4m keeps a pool of four files per program, instead of one per process.
export LLVM_PROFILE_FILE="$PWD/$build/profiles/%4m.profraw"
ninja -C $build check-tensorcast >&2 || echo "some tests failed" >&2

$llvm/llvm-profdata merge -sparse $build/profiles/*.profraw \
  -o $build/tests.profdata
programs=("$build"/bin/* "$build"/test/unit/bin/*Tests)
objects=("${programs[0]}")
for program in "${programs[@]:1}"; do
  objects+=(-object "$program")
done
llvm_cov() {
  local command=$1
  shift
  $llvm/llvm-cov "$command" "${objects[@]}" -instr-profile $build/tests.profdata \
    -ignore-filename-regex "^/usr/|/$build/" "$@"
}
llvm_cov show -format html -output-dir $build/coverage >/dev/null
llvm_cov report
