#!/usr/bin/env bash
# packaging 26.4 against packaging 25.0 (PyPI), run on 2026-11-28.
# One would guess: `"2.0a1" in SpecifierSet(">=1.0")` is false, as pip does not take a prerelease unasked, and as
# it was in all the years before; and that asking for each version says the same as filtering the list.
# What happens: since 26 it is true. `filter` still drops it beside a release, and keeps it when it is alone. So the
# members of a list by `in` are not the list that `filter` gives.
# Seen: old_in=False new_in=True new_filter=1.1 new_filter_alone=2.0a1
# Why it matters: code that picks the newest version with `in` begins to pick alphas after an update of packaging, which
# comes along with nearly everything.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
for version in 25.0 26.4; do
  python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/$version" "packaging==$version"
done
old=$(PYTHONPATH="$tmp/25.0" python3 -c 'from packaging.specifiers import SpecifierSet as S; print("2.0a1" in S(">=1.0"))')
new=$(PYTHONPATH="$tmp/26.4" python3 -c '
from packaging.specifiers import SpecifierSet as S
wanted = S(">=1.0")
print("2.0a1" in wanted, "new_filter=" + ",".join(wanted.filter(["1.1", "2.0a1"])), "new_filter_alone=" + ",".join(wanted.filter(["0.9", "2.0a1"])))')
seen="old_in=$old new_in=$new"
want='old_in=False new_in=True new_filter=1.1 new_filter_alone=2.0a1'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
