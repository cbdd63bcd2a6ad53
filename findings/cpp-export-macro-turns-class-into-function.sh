#!/usr/bin/env bash
# tree-sitter-cpp 0.23.4 with tree-sitter 0.26.1 (PyPI), run on 2026-11-28.
# One would guess: `class API_EXPORT Box { … };`, how every shared library marks its public classes, is a class, or the
# unknown macro makes an error node.
# What happens: it is a function definition: return type `class API_EXPORT`, name `Box`, and the class body is the
# function's body, where `public:` is a label to jump to and the methods are nested functions. No error is reported.
# With a base class (`: public Base`) the same text does report an error.
# Seen: kind=function_definition returns=API_EXPORT name=Box public=labeled_statement error=False with_base=True
# Why it matters: the public classes of a library are indexed as functions under the macro's name as their type.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" tree-sitter==0.26.1 tree-sitter-cpp==0.23.4
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import tree_sitter, tree_sitter_cpp
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))
root = parser.parse(b"class API_EXPORT Box {\npublic:\n  void open();\n  int size() { return 1; }\n};\n").root_node
node = root.named_children[0]
based = parser.parse(b"class API_EXPORT Box : public Base {\npublic:\n  void open();\n};\n").root_node
print(f"kind={node.type}", "returns=" + node.child_by_field_name("type").child_by_field_name("name").text.decode(),
      "name=" + node.child_by_field_name("declarator").text.decode(),
      "public=" + node.child_by_field_name("body").named_children[0].type, f"error={root.has_error}", f"with_base={based.has_error}")
PY
)
want='kind=function_definition returns=API_EXPORT name=Box public=labeled_statement error=False with_base=True'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
