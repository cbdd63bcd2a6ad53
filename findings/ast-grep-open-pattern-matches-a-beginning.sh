#!/usr/bin/env bash
# ast-grep-py 0.51.0 (PyPI), run on 2026-11-28.
# One would guess: a pattern matches code of the same shape; `from shop import pay` matches that statement only, and
# `call($A)` shows that a further argument is not passed over.
# What happens: a pattern that has no closing sign at its end matches any code that begins so. What follows is passed
# over without a wildcard: more imported names, more declared variables, an else branch.
# Seen: call=False import=True declare=True if_else=True def_with_return_type=False
# Why it matters: a rewrite rule of that kind deletes what it did not look at, and counts by pattern are too high.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" ast-grep-py==0.51.0
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
from ast_grep_py import SgRoot
hit = lambda language, code, pattern: SgRoot(code, language).root().find(pattern=pattern) is not None
answers = {"call": hit("python", "call(a, b)", "call($A)"), "import": hit("python", "from shop import pay, refund", "from shop import pay"),
           "declare": hit("javascript", "let a = 1, b = 2", "let $A = $B"),
           "if_else": hit("python", "if a:\n    b()\nelse:\n    c()\n", "if $A: $B"),
           "def_with_return_type": hit("python", "def f() -> int: pass", "def $F(): pass")}
print(*(f"{name}={answer}" for name, answer in answers.items()))
PY
)
want='call=False import=True declare=True if_else=True def_with_return_type=False'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
