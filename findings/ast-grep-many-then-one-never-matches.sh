#!/usr/bin/env bash
# ast-grep-py 0.51.0 (PyPI), run on 2026-11-28.
# One would guess: `log($$$REST, $LAST)` matches calls with one argument or more and `$LAST` is the last of them.
# What happens: it matches the call with exactly one argument, with nothing in `$$$REST`, and no longer call. The many
# stop at the first node that the next part of the pattern could take, and `$LAST` could take any; there is no way back.
# With a literal after the many it works, and the commas are among the captured nodes.
# Seen: log(a)=match log(a, b)=no log(a, b, c)=no literal=a|,|b
# Why it matters: the rule for "the last argument is a callback" or "an options object comes last" finds nothing in real
# code and reports no problem, so a repository seems to be clean.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" ast-grep-py==0.51.0
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
from ast_grep_py import SgRoot
find = lambda code, pattern: SgRoot(code, "python").root().find(pattern=pattern)
words = [f"{code}={'match' if find(code, 'log($$$REST, $LAST)') else 'no'}" for code in ("log(a)", "log(a, b)", "log(a, b, c)")]
literal = find("log(a, b, done)", "log($$$REST, done)").get_multiple_matches("REST")
print(*words, "literal=" + "|".join(node.text() for node in literal))
PY
)
want='log(a)=match log(a, b)=no log(a, b, c)=no literal=a|,|b'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
