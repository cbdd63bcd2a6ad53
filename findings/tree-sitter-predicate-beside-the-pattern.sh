#!/usr/bin/env bash
# tree-sitter 0.26.1 (PyPI) with tree-sitter-python 0.25.0, run on 2026-11-28.
# One would guess: `(identifier) @x (#eq? @x "a")` filters by the predicate, or is refused because it stands outside.
# What happens: without one more pair of brackets around both, the predicate is a second pattern of its own. The first
# pattern is not filtered at all, and the second one matches every node of the tree with nothing captured.
# A predicate that nobody knows (`#no-such-test?`) inside the brackets is passed over in silence as well.
# Seen: inside=a beside=a,b patterns=2 empty_matches=True unknown=a,b
# Why it matters: a rule that should find one function finds all, in a query file that loads without a word.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" tree-sitter==0.26.1 tree-sitter-python==0.25.0
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import tree_sitter as ts, tree_sitter_python
language = ts.Language(tree_sitter_python.language())
root = ts.Parser(language).parse(b"a = 1\nb = 2\n").root_node
def names(text):
    captures = ts.QueryCursor(ts.Query(language, text)).captures(root)["x"]
    return ",".join(sorted(n.text.decode() for n in captures))
beside = ts.Query(language, '(identifier) @x (#eq? @x "a")')
empty = any(captured == {} for _, captured in ts.QueryCursor(beside).matches(root))
print("inside=" + names('((identifier) @x (#eq? @x "a"))'), "beside=" + names('(identifier) @x (#eq? @x "a")'),
      f"patterns={beside.pattern_count}", f"empty_matches={empty}", "unknown=" + names('((identifier) @x (#no-such-test? @x "a"))'))
PY
)
want='inside=a beside=a,b patterns=2 empty_matches=True unknown=a,b'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
