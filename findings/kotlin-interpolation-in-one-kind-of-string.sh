#!/usr/bin/env bash
# tree-sitter-kotlin 1.1.0 with tree-sitter 0.26.1 (PyPI), run on 2026-11-28.
# One would guess: the short interpolation `$name` is in the tree in both kinds of string, or in neither.
# What happens: in a string of three quotes it is an interpolation with an identifier, in an ordinary one it is string
# content, cut into pieces. The long form `${name}` is an interpolation in both.
# Seen: ordinary=0 three_quotes=1 ordinary_long=1 three_quotes_long=1
# Why it matters: the usual way to use a variable in Kotlin is invisible to "find all uses" and to a rename, and code that
# strips strings before it searches loses real references.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" tree-sitter==0.26.1 tree-sitter-kotlin==1.1.0
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import tree_sitter, tree_sitter_kotlin
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_kotlin.language()))
def count(text):
    root = parser.parse(f"val text = {text}\n".encode()).root_node
    assert not root.has_error, text
    return str(root).count("interpolation")
print("ordinary=" + str(count('"$n"')), "three_quotes=" + str(count('"""$n"""')),
      "ordinary_long=" + str(count('"${n}"')), "three_quotes_long=" + str(count('"""${n}"""')))
PY
)
want='ordinary=0 three_quotes=1 ordinary_long=1 three_quotes_long=1'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
