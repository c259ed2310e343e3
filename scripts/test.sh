#!/usr/bin/env bash
# Sets up, then checks style, types and behaviour. Arguments go to pytest; the exit status is the first failure's.
#
#   scripts/test.sh                    everything but the tests marked slow
#   scripts/test.sh -m ""              the slow ones too
#   GYMNASIUM=1.2.2 scripts/test.sh    the tests alone, on that version of gymnasium, in a virtual environment of its own
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/setup.sh"

python=$venv/bin/python
status=0
step() {
    echo "== $*"
    "$@" || status=$((status ? status : $?))
}

# The workers share the cores already, so no library starts threads of its own.
export OMP_NUM_THREADS=1

if [ -z "${GYMNASIUM:-}" ]; then
    step "$python" -m ruff check
    step "$python" -m ruff format --check
    step "$python" -m mypy
fi
step "$python" -m pytest -n auto "$@"

# Compiled code checks no bounds by itself. What is compiled with the checks is kept apart from what is without.
export NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$PWD/.numba_cache/boundscheck
step "$python" -m pytest -n auto tests/parity tests/solver

exit "$status"
