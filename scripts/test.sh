#!/usr/bin/env bash
# Installs what is missing, builds, and runs every check of the project: what
# CI runs. The last line is `N passed, N failed`.
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if ! scripts/setup.sh || ! configure_and_build all; then
  echo "the build failed, so nothing was tested"
  echo "0 passed, 1 failed"
  exit 1
fi
exec python3 scripts/run_tests.py build </dev/null
