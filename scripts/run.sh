#!/usr/bin/env bash
# Sets up, then does the main job on real deals, in small: trains an agent for about a minute, plays it and three that need
# no training on the suite `smoke`, compares them, and shows a deal. Each run keeps what it made in a new folder in runs/.
set -euo pipefail
# shellcheck source=scripts/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/setup.sh"

root=$PWD
run=$root/runs/first-$(date +%Y%m%d-%H%M%S)
"$venv/bin/python" scripts/train.py --config quick --out "$run"

cd -- "$run" # so that the trained agent has a short name
"$root/$venv/bin/canfield" evaluate --suite smoke --jobs 2 --out evaluation \
    --agent random --agent greedy --agent heuristic --agent ppo:best.zip
echo
"$root/$venv/bin/canfield" moves CF1-D3-AAAAACL --play "R2 RF 24"
