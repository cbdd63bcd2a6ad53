#!/usr/bin/env bash
# tree-sitter-typescript 0.23.2 with tree-sitter 0.26.1 (PyPI), run on 2026-11-28.
# One would guess: a tagged template with a type argument, sql<Row>`select 1` (usual in styled components, GraphQL and
# SQL clients), is a call like sql`select 1`.
# What happens: it is the comparison `(sql < Row) > template`, and with two type arguments a comma expression. After
# `await`, the await takes the tag's bare name as its operand. The tree reports no error.
# Seen: plain=call_expression typed=binary_expression two=sequence_expression awaited=await_expression|sql error=False
# Why it matters: the uses of such a tag cannot be found as calls, and "what is awaited here" answers with the function
# itself; a check for parse errors does not catch it.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" tree-sitter==0.26.1 tree-sitter-typescript==0.23.2
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import tree_sitter, tree_sitter_typescript
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_typescript.language_typescript()))
wrong, words = False, []
def expression(text):
    global wrong
    root = parser.parse((text + ";\n").encode()).root_node
    wrong = wrong or root.has_error
    return root.named_children[0].named_children[0]
words.append("plain=" + expression("sql`select 1`").type)
words.append("typed=" + expression("sql<Row>`select 1`").type)
words.append("two=" + expression("sql<Row, Key>`select 1`").type)
node = expression("await sql<Row>`select 1`")
while node.type == "binary_expression":
    node = node.child_by_field_name("left")
words.append(f"awaited={node.type}|{node.named_children[0].text.decode()}")
print(*words, f"error={wrong}")
PY
)
want='plain=call_expression typed=binary_expression two=sequence_expression awaited=await_expression|sql error=False'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
