# What the checks of scripts/checks share; one begins with: . "$(dirname "$0")/../check.sh"
# shellcheck shell=bash
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
me=check-$(basename "$0")
# A check's comments are its help.
if [ "${1:-}" = --help ]; then sed -n '/^# check:/d; 2,${/^#/!q; s/^# \{0,1\}//p}' "$0" && exit; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

pass() { echo "$me: $1"; passed=$((passed + 1)); }
fail() { echo "$me: FAILED: $1" >&2; failed=$((failed + 1)); }
# The last line of a check with many results, and its status.
finish() { echo "$passed passed, $failed failed" && exit $((failed > 0)); }
# Ends the check, with status 1.
stop() { echo "$me: $1" >&2; exit 1; }
refuse() { echo "$me: '$1' is not an option; see --help" >&2; exit 2; }
# The only option that a check has, if it is given: option --long "$@"
option() { [ $# -eq 1 ] || { [ $# -eq 2 ] && [ "$2" = "$1" ] && echo "$1"; } || refuse "$2"; }
# Shows what a command prints only if it fails, which ends the check.
quietly() { "$@" >"$work/quietly" 2>&1 || { tail -n 60 "$work/quietly" >&2; exit 1; }; }
# Builds a product of the package, and prints its path: product settle -c release
product() { quietly swift build "${@:2}" --product "$1" && echo "$(swift build "${@:2}" --show-bin-path)/$1"; }
# Installs Debian's packages whose commands are missing: need valgrind valgrind chromedriver chromium-driver
need() {
    local missing=()
    while [ $# -gt 0 ]; do
        command -v "$1" >/dev/null || missing+=("$2")
        shift 2
    done
    [ ${#missing[@]} -eq 0 ] || scripts/install-dependencies --packages "${missing[@]}"
}
# The compiler beside swiftc.
swift_clang() { echo "$(dirname "$(readlink -f "$(command -v swiftc)")")/clang"; }
