#!/usr/bin/env bash
# google-re2 1.1.20251105 (PyPI) and the module `re` of Python 3.11, run on 2026-11-28.
# One would guess: `ab{,2}` (at most two) is the same in both, or an error in the one that does not know it.
# What happens: both take it. `re` repeats; RE2 looks for the characters `b{,2}` themselves. In the other direction
# `[[:alpha:]]` is a class of letters in RE2 and, in `re`, a set of a few characters followed by a bracket.
# Seen: at_most re=abb re2=None braces re=a re2=ab{,2} posix re=None re2=x
# Why it matters: a pattern is checked by compiling it; here it compiles on both sides and searches for different things,
# so a service that checks with one and searches with the other answers "nothing found".
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" google-re2==1.1.20251105
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import re, re2, warnings
warnings.simplefilter("ignore")
hit = lambda module, pattern, text: (m := module.search(pattern, text)) and m.group()
print("at_most", "re=" + str(hit(re, "ab{,2}", "abbb")), "re2=" + str(hit(re2, "ab{,2}", "abbb")),
      "braces", "re=" + str(hit(re, "ab{,2}", "a{,2} ab{,2}")), "re2=" + str(hit(re2, "ab{,2}", "a{,2} ab{,2}")),
      "posix", "re=" + str(hit(re, "^[[:alpha:]]$", "x")), "re2=" + str(hit(re2, "^[[:alpha:]]$", "x")))
PY
)
want='at_most re=abb re2=None braces re=a re2=ab{,2} posix re=None re2=x'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
