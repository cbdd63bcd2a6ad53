#!/usr/bin/env bash
# univers 32.0.1 (PyPI, the version library that goes with package URLs) with packaging 26.4, run on 2026-11-28.
# One would guess: its range classes, made "from native" notation, answer like each ecosystem's own tool.
# What happens: the local build 1.0+cu is not in PyPI's `==1.0` (in packaging it is), `~=1.4` is an error, the npm range
# `>=1.0.0-a <2` takes 1.5.0-b (npm does not), and Maven's plain `1.0` becomes a range with the version "None".
# Seen: local univers=False packaging=True | compatible=InvalidVersionRange | npm=True | maven=vers:maven/None
# Why it matters: matching advisories to what is installed goes through such a library; these are misses and false
# alarms that depend on the notation alone.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" univers==32.0.1 packaging==26.4
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
from packaging.specifiers import SpecifierSet
from univers.version_range import MavenVersionRange, NpmVersionRange, PypiVersionRange
from univers.versions import PypiVersion, SemverVersion
try:
    compatible = str(PypiVersionRange.from_native("~=1.4"))
except Exception as error:
    compatible = type(error).__name__
print(f"local univers={PypiVersion('1.0+cu') in PypiVersionRange.from_native('==1.0')} packaging={'1.0+cu' in SpecifierSet('==1.0')}",
      f"compatible={compatible}", f"npm={SemverVersion('1.5.0-b') in NpmVersionRange.from_native('>=1.0.0-a <2')}",
      f"maven={MavenVersionRange.from_native('1.0')}", sep=" | ")
PY
)
want='local univers=False packaging=True | compatible=InvalidVersionRange | npm=True | maven=vers:maven/None'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
