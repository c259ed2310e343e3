#!/usr/bin/env bash
# Fills .venv in the checkout with the project and the exact versions of constraints.txt; does nothing where that is done.
#
#   scripts/setup.sh                       sets up .venv
#   GYMNASIUM=1.2.2 scripts/setup.sh       sets up .venv-gymnasium-1.2.2, with that version of gymnasium
#   PYTHON=/opt/python scripts/setup.sh    makes a new folder with that Python
#
# Scripts that need the project source this one: they are then in the checkout, and $venv is the folder.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

venv=.venv${GYMNASIUM:+-gymnasium-$GYMNASIUM}
extras=play,train,docs,dev
log=build/setup.log

die() {
    echo "setup: $*" >&2
    exit 1
}

# Prints the first Python that will do. 3.11, which constraints.txt is made with, goes before later ones.
find_python() {
    local python fault="no Python 3.11 or later" candidates=(python3.11 python3.12 python3.13 python3)
    [ -z "${PYTHON:-}" ] || candidates=("$PYTHON")
    for python in "${candidates[@]}"; do
        "$python" -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null || continue
        if "$python" -c "import ensurepip, venv" 2>/dev/null; then
            echo "$python"
            return
        fi
        fault="$python has no venv module (on Debian it is in the package python3-venv)"
    done
    die "$fault; looked for ${candidates[*]}"
}

# Runs a command into the log; where it fails, says why in one line.
logged() {
    "$@" >>"$log" 2>&1 </dev/null || die "$(fault_in_log) (all of it: $log)"
}

fault_in_log() {
    if grep -qiE "no space left|quota exceeded" "$log"; then
        echo "the disk is full"
    elif grep -qE "NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError|NameResolutionError|Max retries" "$log"; then
        echo "the package index cannot be reached: is there a network?"
    else
        grep -m 1 "^ERROR:" "$log" || { grep -oE "\w+Error: .+" "$log" || cat "$log"; } | tail -n 1
    fi
}

# All that the content of the folder follows from.
stamp() {
    "$venv/bin/python" -c "import sys; print(sys.version)" 2>/dev/null && echo "$PWD [$extras]" && cat pyproject.toml constraints.txt
}

# Whether packages can be put into the folder as it is. It cannot be one that a set-up has left half filled, nor one
# moved here from elsewhere, since its programs name the Python that they run with by its path.
usable() {
    [ "$(cat "$venv/stamp" 2>/dev/null)" != unfinished ] &&
        grep -qF "$PWD/$venv" "$venv/bin/activate" 2>/dev/null &&
        "$venv/bin/python" -m pip --version >/dev/null 2>&1
}

fill() {
    local python began=$SECONDS
    { mkdir -p build && : >"$log"; } 2>/dev/null || die "cannot write in $PWD"
    if ! usable; then
        python=$(find_python)
        logged "$python" -m venv --clear "$venv"
    fi
    echo "setup: installing into $venv (log: $log); the first time takes some minutes" >&2
    echo unfinished >"$venv/stamp"
    sed "${GYMNASIUM:+s/^gymnasium==.*/gymnasium==$GYMNASIUM/}" constraints.txt >"$venv/constraints.txt"
    local install=("$venv/bin/python" -m pip --disable-pip-version-check install --retries 2 -c "$venv/constraints.txt")
    # The build backend is installed first, pinned like the rest: building in isolation would fetch the newest.
    logged "${install[@]}" hatchling editables
    logged "${install[@]}" --no-build-isolation -e ".[$extras]"
    stamp >"$venv/stamp.new" && mv "$venv/stamp.new" "$venv/stamp"
    echo "setup: done in $((SECONDS - began)) s" >&2
}

if [ ! -s "$venv/stamp" ] || [ "$(stamp)" != "$(cat "$venv/stamp")" ]; then
    fill
fi
