#!/usr/bin/env bash
# Installs the Debian packages that building and testing need, and those named
# as arguments. Asks nothing; done at once when there is nothing to install.
set -euo pipefail

packages=(
  cmake ninja-build ccache clang-22 lld-22
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  zlib1g-dev libzstd-dev nlohmann-json3-dev libcsv-dev
  python3 python3-jsonschema libgtest-dev clang-format-22 git
  "$@"
)

say() { printf '%s\n' "setup: $*" >&2; }
fail() { say "$@"; exit 1; }

installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' \
  "${packages[@]}" 2>/dev/null) || true
missing=()
for package in "${packages[@]}"; do
  [[ $'\n'$installed$'\n' == *$'\n'"$package installed"$'\n'* ]] ||
    missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

command -v apt-get >/dev/null ||
  fail "this machine has no apt-get; needed, in some form: ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null ||
    fail "not root and no sudo; needed: apt-get install ${missing[*]}"
  as_root=(sudo)
fi
# Quiet unless it fails: apt's own progress says little to a reader.
apt() {
  local log
  log=$(mktemp)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "$@" \
    </dev/null >"$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; return 1; }
  rm -f "$log"
}
available() { apt-cache show "$1" >/dev/null 2>&1; }

# Debian 12 has LLVM 22 in its security suite, which a minimal installation
# may not know; the suite lies beside the release on the same mirror.
add_security_suite() {
  local mirror list=/etc/apt/sources.list.d/debian-security.list
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
    sed -n 's#/debian/*$#/debian-security#p' | sed -n 1p)
  [ -n "$mirror" ] || return 0
  say "adding Debian's security suite to apt ($list)"
  echo "deb $mirror bookworm-security main" |
    "${as_root[@]}" tee "$list" >/dev/null
  apt update
}

say "reading apt's package lists"
apt update || fail "apt-get update failed"
if ! available libmlir-22-dev && grep -q bookworm /etc/os-release; then
  add_security_suite || fail "could not read Debian's security suite"
fi
for package in "${missing[@]}"; do
  available "$package" ||
    fail "apt knows no package $package; Debian 12 with its security suite has it"
done
say "installing ${missing[*]}"
apt install -y --no-install-recommends "${missing[@]}" ||
  fail "apt-get install failed"
