#!/usr/bin/env bash
# tree-sitter-kotlin 1.1.0 with tree-sitter 0.26.1 (PyPI), run on 2026-11-28.
# One would guess: `listOf<String>("a")` is a call in the tree, since it is one in Kotlin, or at least an error.
# What happens: with one plain type argument and one value argument it becomes two comparisons,
# `(listOf < String) > ("a")`, and the tree reports no error. Two type arguments, two values or a nullable type
# argument bring the call back, so whether a call exists depends on what it is given.
# Seen: one=binary_expression two_types=call_expression two_values=call_expression nullable=call_expression error=False
# Why it matters: a call graph built on this grammar has no edge for the most usual generic calls, and nothing says so;
# the place counts as two comparisons in complexity figures instead.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" tree-sitter==0.26.1 tree-sitter-kotlin==1.1.0
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import tree_sitter, tree_sitter_kotlin
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_kotlin.language()))
cases = {"one": 'val r = listOf<String>("a")', "two_types": 'val r = mapOf<String, Int>("a")',
         "two_values": 'val r = listOf<String>("a", "b")', "nullable": 'val r = listOf<String?>("a")'}
words, wrong = [], False
for name, text in cases.items():
    root = parser.parse((text + "\n").encode()).root_node
    wrong = wrong or root.has_error
    words.append(f"{name}={root.named_children[0].named_children[-1].type}")
print(*words, f"error={wrong}")
PY
)
want='one=binary_expression two_types=call_expression two_values=call_expression nullable=call_expression error=False'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
