#!/usr/bin/env bash
# tree-sitter-go 0.25.0 with tree-sitter 0.26.1 (PyPI), run on 2026-11-28.
# One would guess: a call with an explicit type argument has one node kind, whatever the number of values in it.
# What happens: `decode[Row]()` and `decode[Row](a, b)` are call expressions, `decode[Row](a)` is a type conversion.
# The same goes for a function taken from a table: `table[key](a)` is a type conversion too, `table[0](a)` a call.
# No case is an error.
# Seen: none=call_expression one=type_conversion_expression two=call_expression table=type_conversion_expression number=call_expression
# Why it matters: a query for call expressions finds a caller today and loses it when somebody removes a parameter.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" tree-sitter==0.26.1 tree-sitter-go==0.25.0
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import tree_sitter, tree_sitter_go
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_go.language()))
cases = {"none": "decode[Row]()", "one": "decode[Row](a)", "two": "decode[Row](a, b)",
         "table": "table[key](a)", "number": "table[0](a)"}
words = []
for name, text in cases.items():
    root = parser.parse(f"package p\n\nfunc f() {{\n\t{text}\n}}\n".encode()).root_node
    assert not root.has_error, text
    node = root.named_children[-1]
    while node.type not in ("call_expression", "type_conversion_expression"):
        node = node.named_children[-1]
    words.append(f"{name}={node.type}")
print(*words)
PY
)
want='none=call_expression one=type_conversion_expression two=call_expression table=type_conversion_expression number=call_expression'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
