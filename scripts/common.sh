# Sourced by the other scripts: moves to the project's root, sets up, builds.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

# configure_and_build TARGETS... builds in build/. Progress goes to stderr: one
# line that changes on a terminal, a line per tenth of the work elsewhere.
configure_and_build() {
  if [ ! -f build/build.ninja ]; then
    echo "configuring" >&2
    mkdir -p build
    cmake --preset release >build/configure.log 2>&1 || {
      cat build/configure.log >&2
      return 1
    }
  fi
  if [ -t 2 ]; then
    ninja -C build "$@" >&2
    return
  fi
  local log=build/build.log
  NINJA_STATUS='[%f/%t] ' ninja -C build "$@" 2>&1 | tee "$log" | awk '
    match($0, /^\[[0-9]+\/[0-9]+\]/) {
      split(substr($0, 2, RLENGTH - 2), n, "/")
      tenth = int(10 * n[1] / n[2])
      if (tenth > shown && n[2] > 20) {
        printf "building: %d of %d\n", n[1], n[2]
        fflush(); shown = tenth
      }
    }' >&2
  local status=${PIPESTATUS[0]}
  if [ "$status" -ne 0 ]; then
    grep -vE '^(\[[0-9]+/[0-9]+\]|--|env CCACHE_\S+) ' "$log" | tail -n 60 >&2
  fi
  return "$status"
}
