#!/usr/bin/env bash
# semantic-version 2.10.0 (PyPI, its `NpmSpec` "follows NPM's rules") against semver 7.8.6 (npm), run on 2026-11-28.
# One would guess: small differences at odd ranges only.
# What happens: `>= 1.2.3`, with the space that many package.json files have, is an error; npm takes it. `<2` takes the
# prerelease 2.0.0-rc.1, which npm refuses. The range `1.2.3+b` does not take 1.2.3+c, though npm ignores what stands
# after the plus.
# Seen: space npm=true python=ValueError | prerelease npm=false python=True | build npm=true python=False
# Why it matters: a Python service that resolves the dependencies of JavaScript repositories leaves out whole manifests,
# or draws edges to versions that npm would never install.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" semantic-version==2.10.0
npm install --silent --no-audit --no-fund --prefix "$tmp/tool" semver@7.8.6 >/dev/null
cd "$tmp/tool"
answer() {
  local npm python
  npm=$(node -p 'require("semver").satisfies(process.argv[1], process.argv[2])' "$1" "$2")
  python=$(PYTHONPATH="$tmp/lib" python3 -c '
import sys, semantic_version as s
try:
    print(s.NpmSpec(sys.argv[2]).match(s.Version(sys.argv[1])))
except ValueError:
    print("ValueError")' "$1" "$2")
  echo "npm=$npm python=$python"
}
seen="space $(answer 1.2.3 '>= 1.2.3') | prerelease $(answer 2.0.0-rc.1 '<2') | build $(answer 1.2.3+c '1.2.3+b')"
want='space npm=true python=ValueError | prerelease npm=false python=True | build npm=true python=False'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
