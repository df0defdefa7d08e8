# What ./run, ./test and ./dev share: saying things, installing packages, configuring and building.
# Sourced from the repository's root, with `set -euo pipefail` on.

jobs="${BRIGADA_JOBS:-$(nproc)}"

say() { printf '%s\n' "$*"; }

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# --- packages -----------------------------------------------------------------------------------

as_root() {
    if [ "$(id -u)" = 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    elif command -v sudo >/dev/null; then
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    else
        fail "installing packages needs root; run as root or install sudo. Missing: ${missing[*]}"
    fi
}

# The names among "$@" that dpkg does not know as installed, in `missing`.
find_missing() {
    missing=()
    local installed name
    installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package} ' "$@" 2>/dev/null || true)"
    for name in "$@"; do
        [[ "$installed" == *" installed $name "* ]] || missing+=("$name")
    done
}

# apt-get install of what is missing among "$@"; quiet unless it fails.
install_named() {
    find_missing "$@"
    [ ${#missing[@]} = 0 ] && return
    command -v apt-get >/dev/null ||
        fail "this machine has no apt-get; on another system install by hand: ${missing[*]}"
    say "installing ${missing[*]}"
    mkdir -p build
    { as_root apt-get -qq update && as_root apt-get -qq install -y --no-install-recommends "${missing[@]}"; } \
        >build/apt.log 2>&1 </dev/null || {
        tail -n 5 build/apt.log >&2
        fail "apt-get could not install them (no network? no space?); all it said is in build/apt.log"
    }
}

install_packages() {
    local names
    mapfile -t names < <(grep -Ev '^(#|$)' tools/packages.txt)
    install_named "${names[@]}"
}

# Node for the SDK tests: whatever is there, else Debian's.
install_node() {
    command -v node >/dev/null && command -v npm >/dev/null && return
    install_named nodejs npm
}

# --- building -----------------------------------------------------------------------------------

# configure FOLDER [CMAKE OPTION]...: once; from then on ninja itself notices changes.
configure() {
    local folder="build/$1"
    shift
    [ -f "$folder/build.ninja" ] && return
    say "configuring $folder"
    mkdir -p "$folder"
    local launcher=()
    command -v ccache >/dev/null &&
        launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    cmake -S . -B "$folder" -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
        "${launcher[@]}" "$@" >"$folder/configure.log" 2>&1 || {
        tail -n 20 "$folder/configure.log" >&2
        rm -f "$folder/build.ninja"
        fail "cmake failed; all it said is in $folder/configure.log"
    }
}

# build FOLDER [TARGET]...: ninja behind a progress bar; on failure, what the compiler said.
build() {
    local folder="build/$1"
    shift
    if NINJA_STATUS='[%f/%t] ' ninja -C "$folder" -j "$jobs" "$@" 2>&1 |
        tee "$folder/build.log" | show_progress; then
        return
    fi
    sed -n '/^FAILED:\|^ninja: error/,$p' "$folder/build.log" >&2
    grep -q 'No space left on device' "$folder/build.log" &&
        fail "the disk is full: $(df -h --output=avail "$folder" | tail -n 1 | tr -d ' ') left"
    fail "the build failed; all of it is in $folder/build.log"
}

# Reads ninja's "[12/340] ..." lines: one moving bar on a terminal, else a line at every tenth.
show_progress() {
    local line done_ total tenth last=-1 bar='##############################'
    while IFS= read -r line; do
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] && $line != *"Re-checking globbed"* ]] || continue
        done_=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
        tenth=$((done_ * 10 / total))
        if [ -t 1 ]; then
            printf '\rbuilding [%-30s] %d of %d ' "${bar:0:$((done_ * 30 / total))}" "$done_" "$total"
        elif [ "$tenth" != "$last" ]; then
            say "building: $done_ of $total"
        fi
        last=$tenth
    done
    if [ -t 1 ] && [ "$last" != -1 ]; then printf '\n'; fi
}
