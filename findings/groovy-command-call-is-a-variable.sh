#!/usr/bin/env bash
# tree-sitter-groovy 0.1.2 with tree-sitter 0.26.1 (PyPI), run on 2026-11-28.
# One would guess: `checkout scm` and `println total` are calls without brackets, as everywhere in Jenkinsfiles.
# What happens: when the argument is a bare name the statement is the declaration of a variable: `checkout` is its type
# and `scm` its name. The same function written on one line, `def build() { checkout scm }`, has the call; a string
# argument makes it a call everywhere. No case is an error.
# Seen: top=local_variable_declaration in_block=local_variable_declaration in_function=local_variable_declaration one_line=juxt_function_call string=juxt_function_call
# Why it matters: an index of definitions gets a variable `scm` of the class `checkout`, and the call is not there.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" tree-sitter==0.26.1 tree-sitter-groovy==0.1.2
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import tree_sitter, tree_sitter_groovy
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_groovy.language()))
cases = {"top": "checkout scm\n", "in_block": "node {\n  checkout scm\n}\n",
         "in_function": "def build() {\n  checkout scm\n}\n",
         "one_line": "def build() { checkout scm }\n", "string": 'checkout "scm"\n'}
words = []
for name, text in cases.items():
    root = parser.parse(text.encode()).root_node
    assert not root.has_error, text
    def find(node):
        if node.type in ("local_variable_declaration", "juxt_function_call"):
            return node.type
        return next((kind for child in node.named_children if (kind := find(child))), None)
    words.append(f"{name}={find(root)}")
print(*words)
PY
)
want='top=local_variable_declaration in_block=local_variable_declaration in_function=local_variable_declaration one_line=juxt_function_call string=juxt_function_call'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
