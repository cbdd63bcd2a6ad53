#!/usr/bin/env bash
# google-re2 1.1.20251105 (PyPI, the module `re2` with the interface of `re`), run on 2026-11-28.
# One would guess: `finditer` gives the same empty matches as `re` for a pattern that means the same in both.
# What happens: an empty match that is not at the start of the text comes twice, at the very same place, if it depends on
# what stands before it: `\b`, `(?m)^`, `$`. `sub` then inserts twice, and `split` gives pieces of no text.
# A pattern that can be empty anywhere (`x*`) is found as often as in `re`.
# Seen: re=0,2,3,5 re2=0,2,2,3,5,5 re_sub=|ab| |cd| re2_sub=|ab|| |cd|| star=True
# Why it matters: counting line starts, cutting text at word boundaries or marking hits is where a search service swaps
# `re` for `re2` to be safe from slow patterns, and gets other numbers with no error.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" google-re2==1.1.20251105
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import re, re2
places = lambda module: ",".join(str(m.start()) for m in module.finditer(r"\b", "ab cd"))
star = [m.span() for m in re.finditer("x*", "axb")] == [m.span() for m in re2.finditer("x*", "axb")]
print("re=" + places(re), "re2=" + places(re2), "re_sub=" + re.sub(r"\b", "|", "ab cd"), "re2_sub=" + re2.sub(r"\b", "|", "ab cd"), f"star={star}")
PY
)
want='re=0,2,3,5 re2=0,2,2,3,5,5 re_sub=|ab| |cd| re2_sub=|ab|| |cd|| star=True'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
