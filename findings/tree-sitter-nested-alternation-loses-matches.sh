#!/usr/bin/env bash
# tree-sitter 0.26.1 (PyPI, the Python binding) with tree-sitter-python 0.25.0, run on 2026-11-30.
# One would guess: an alternation that is an alternative of another one, `[[(integer) (string)] @x (list) @y]`, matches what
# the flat one with the same captures does, `[(integer) @x (string) @x (list) @y]`.
# What happens: unless the inner one stands last, only its first alternative matches. The others, a string here, are left out
# without an error; the query compiles, and `pattern_count` and captures are the same.
# Seen: flat=4 nested_last=4 nested_first=3 nested_between=3 missing=string
# Why it matters: grouping two kinds of nodes under one capture is a usual way to shorten queries (tags, highlights, folds). A
# definition or call of the second kind is then found by no query, and no test of the first kind shows it.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" tree-sitter==0.26.1 tree-sitter-python==0.25.0
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import tree_sitter as ts, tree_sitter_python
language = ts.Language(tree_sitter_python.language())
text = b"a = 1\nb = 'text'\nc = [1]\nd = a\n"
root = ts.Parser(language).parse(text).root_node
def found(alternatives):
    query = ts.Query(language, f"(assignment right: {alternatives})")
    return {node.type for _, captures in ts.QueryCursor(query).matches(root) for nodes in captures.values() for node in nodes}
flat = found("[(integer) @x (string) @x (list) @y (identifier) @z]")
first = found("[[(integer) (string)] @x (list) @y (identifier) @z]")
between = found("[(list) @y [(integer) (string)] @x (identifier) @z]")
last = found("[(list) @y (identifier) @z [(integer) (string)] @x]")
print(f"flat={len(flat)} nested_last={len(last)} nested_first={len(first)} nested_between={len(between)}",
      f"missing={','.join(flat - first | flat - between)}")
PY
)
want='flat=4 nested_last=4 nested_first=3 nested_between=3 missing=string'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
