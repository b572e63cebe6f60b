# What the checks of scripts/checks, scripts/test and scripts/bench share; a check begins with: . "$(dirname "$0")/../check.sh"
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
# With SETTLE_BARE, which CI sets, swift build "${bare[@]}" leaves out what debuggers and editors need, and takes two thirds of
# the time. Without it, swift build does all of that anew.
# shellcheck disable=SC2034
if [ "${SETTLE_BARE:-}" ]; then bare=(-debug-info-format none -Xswiftc -index-ignore-system-modules); else bare=(); fi
# Builds as users do, the benchmarks too, which need most of the same libraries: release --product settle. Packages that
# share a folder must be planned anew, or SwiftPM takes the last one's plan.
release() { swift build -c release --package-path "${package:-Benchmarks}" --scratch-path .build-benchmarks --disable-build-manifest-caching "$@"; }
# Builds a product so, and prints its path: product settle
product() { quietly release --product "$1" && echo "$PWD/.build-benchmarks/release/$1"; }
# Installs Debian's packages.
install() { scripts/install-dependencies --packages "$@"; }
# Those whose commands are missing: need valgrind valgrind chromedriver chromium-driver
need() {
    local missing=()
    while [ $# -gt 0 ]; do
        command -v "$1" >/dev/null || missing+=("$2")
        shift 2
    done
    [ ${#missing[@]} -eq 0 ] || install "${missing[@]}"
}
# Installs what Debian's Python lacks: need_python selenium python3-selenium
need_python() {
    local missing=()
    while [ $# -gt 0 ]; do
        /usr/bin/python3 -c "import $1" 2>/dev/null || missing+=("$2")
        shift 2
    done
    [ ${#missing[@]} -eq 0 ] || install "${missing[@]}"
}
# Runs the tests in a folder of Tests/Verification by Debian's pytest, or by that of $python: verification Report "$@"
verification() {
    [ "${python:-}" ] || need_python pytest python3-pytest pytest_timeout python3-pytest-timeout xdist python3-pytest-xdist
    PYTHONDONTWRITEBYTECODE=1 "${python:-/usr/bin/python3}" -m pytest "Tests/Verification/$1" "${@:2}"
}
# Sets $SETTLE, a command that is given or built, as users have it.
need_settle() {
    [ "${SETTLE:-}" ] || SETTLE=$(product settle)
    SETTLE=$(realpath "$SETTLE")
    export SETTLE
}
# Builds the Python package's wheel, $wheel, and installs it with an extra and more packages beside pytest into an
# environment of its own, whose Python is $python: need_wheel privacy arrow
need_wheel() {
    unset SETTLE_LIBRARY PYTHONPATH
    export PIP_DISABLE_PIP_VERSION_CHECK=1
    python=$PWD/.build/$1/bin/python
    quietly scripts/build-wheel "$work/wheel"
    wheel=$(echo "$work"/wheel/settle-*.whl)
    if ! "$python" -c '' 2>/dev/null; then
        python3 -c 'import ensurepip' 2>/dev/null || install python3-venv
        rm -rf ".build/$1"
        python3 -m venv ".build/$1"
    fi
    "$python" -m pip uninstall -q -y settle >"$work/log" 2>&1 || true
    quietly "$python" -m pip install -q "$wheel${2:+[$2]}" pytest pytest-xdist pytest-timeout "${@:3}"
}
# Installs Plotly (PyPI) into .build/plotly where it is missing, and prints the path of its script.
plotly() {
    local version=7.1.0 folder=.build/plotly
    if [ "$(cat $folder/version 2>/dev/null)" != $version ]; then
        python3 -c 'import ensurepip' 2>/dev/null || install python3-venv
        rm -rf $folder
        python3 -m venv $folder
        quietly $folder/bin/pip install --quiet --no-deps plotly==$version
        echo $version >$folder/version
    fi
    echo $folder/lib/python3*/site-packages/plotly/package_data/plotly.min.js
}
# Installs Debian's packages of the toolkits that have an adapter, and of the Python that drives their windows, where they
# are missing.
need_toolkits() {
    local missing=() library package
    while read -r library package; do
        pkg-config --exists "$library" || missing+=("$package")
    done < <(xargs -n 2 <<<"sdl2 libsdl2-dev glfw3 libglfw3-dev gtk+-3.0 libgtk-3-dev gtk4 libgtk-4-dev Qt6Widgets qt6-base-dev
        xcb libxcb1-dev xcb-xinput libxcb-xinput-dev wayland-client libwayland-dev wayland-protocols wayland-protocols")
    [ ${#missing[@]} -eq 0 ] || install "${missing[@]}"
    need_python xcffib python3-xcffib PIL python3-pil
}
# The compiler beside swiftc.
swift_clang() { echo "$(dirname "$(readlink -f "$(command -v swiftc)")")/clang"; }
# Installs zig's compiler (PyPI) into .build/zig where it is missing, and sets $zig.
need_zig() {
    local version=0.17.1
    zig=$PWD/.build/zig/bin/zig
    export ZIG_GLOBAL_CACHE_DIR=$PWD/.build/zig/cache ZIG_LOCAL_CACHE_DIR=$PWD/.build/zig/cache
    [ "$("$zig" version 2>/dev/null)" != $version ] || return 0
    python3 -c 'import ensurepip' 2>/dev/null || install python3-venv
    rm -rf .build/zig
    python3 -m venv .build/zig
    quietly .build/zig/bin/python -m pip install -q --disable-pip-version-check --no-compile "ziglang==$version"
    ln -s "$(echo "$PWD"/.build/zig/lib/python3*/site-packages/ziglang/zig)" "$zig"
}
