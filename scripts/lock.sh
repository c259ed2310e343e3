#!/usr/bin/env bash
# Writes constraints.txt anew: the newest release of everything that scripts/setup.sh installs, direct and transitive.
# Run it after a change of the dependencies in pyproject.toml, then scripts/test.sh.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

extras=$(sed -n 's/^extras=//p' scripts/setup.sh)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The oldest Python supported, so that every version can be had on it.
python3.11 -m venv "$scratch/venv"
"$scratch/venv/bin/python" -m pip --disable-pip-version-check install --quiet --dry-run --ignore-installed \
    --report "$scratch/report.json" ".[$extras]" torch==2.13.0 editables
"$scratch/venv/bin/python" - "$scratch/report.json" >"$scratch/constraints.txt" <<'PYTHON'
import json
import sys

packages = [item["metadata"] for item in json.load(open(sys.argv[1]))["install"]]
print("# Exact versions of all that scripts/setup.sh installs. Written by scripts/lock.sh; not to be edited.")
for package in sorted(packages, key=lambda package: package["name"].lower()):
    if package["name"] != "canfield-env":
        # Without a local part such as +cpu, which only some builds have.
        print(f"{package['name']}=={package['version'].partition('+')[0]}")
PYTHON
mv "$scratch/constraints.txt" constraints.txt
