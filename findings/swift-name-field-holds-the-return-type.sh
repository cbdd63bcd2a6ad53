#!/usr/bin/env bash
# tree-sitter-swift 0.7.4 with tree-sitter 0.26.1 (PyPI), run on 2026-11-28.
# One would guess: the field `name` of a declaration is its name, and a return type has a field of its own.
# What happens: the return type is in the field `name` as well. A function has two names, and the `name` of a subscript,
# which has none, is the type that it returns: `subscript(i: Int) -> String` is called `String`.
# An `actor`, a `struct` and an `extension` are all a `class_declaration`, so the kind does not tell them apart either.
# Seen: function=size,Int subscript=String kinds=class_declaration,class_declaration,class_declaration
# Why it matters: the usual generic reader (kind plus field `name`) makes a definition `String` out of each subscript,
# and a query on `name: (_)` matches each function twice, once under its return type.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" tree-sitter==0.26.1 tree-sitter-swift==0.7.4
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import tree_sitter, tree_sitter_swift
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_swift.language()))
root = parser.parse(b'struct Bag {\n  func size() -> Int { 1 }\n  subscript(i: Int) -> String { "" }\n}\nextension Bag {\n}\nactor Counter {\n}\n').root_node
assert not root.has_error
found = {}
def walk(node):
    if node.type in ("function_declaration", "subscript_declaration"):
        found[node.type] = ",".join(n.text.decode() for n in node.children_by_field_name("name"))
    for child in node.named_children:
        walk(child)
walk(root)
print("function=" + found["function_declaration"], "subscript=" + found["subscript_declaration"],
      "kinds=" + ",".join(n.type for n in root.named_children))
PY
)
want='function=size,Int subscript=String kinds=class_declaration,class_declaration,class_declaration'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
