#!/usr/bin/env bash
# tree-sitter-python 0.25.0 with tree-sitter 0.26.1 (PyPI), run on 2026-11-29.
# One would guess: `case A(),:` (a sequence of one) has another tree than `case A():` (an instance), as they match other
# things: Python's own parser gives MatchSequence and MatchClass.
# What happens: the trees are equal. A pattern without brackets is several `case_pattern` children of the clause, without
# a node for the sequence, and the comma after a single one is an unnamed token that no printed tree shows.
# Seen: equal=True python=MatchClass,MatchSequence brackets=tuple_pattern unnamed=,
# Why it matters: a query that narrows the subject's type by a class pattern takes the sequence for an instance, and says
# of `x` that it is an `A` where it is a tuple. An anchor between the pattern and ":" tells them apart.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" tree-sitter==0.26.1 tree-sitter-python==0.25.0
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import ast, tree_sitter, tree_sitter_python
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_python.language()))
text = "match x:\n case {}:\n  pass\n".format
clause = lambda pattern: parser.parse(text(pattern).encode()).root_node.children[0].child_by_field_name("body").children[0]
kind = lambda pattern: type(ast.parse(text(pattern)).body[0].cases[0].pattern).__name__
one, many = clause("A()"), clause("A(),")
unnamed = [child.type for child in many.children if not child.is_named and child.type not in {"case", ":"}]
print(
    f"equal={str(one) == str(many)}", f"python={kind('A()')},{kind('A(),')}",
    f"brackets={clause('(A(),)').named_children[0].named_children[0].type}", f"unnamed={''.join(unnamed)}",
)
PY
)
want='equal=True python=MatchClass,MatchSequence brackets=tuple_pattern unnamed=,'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
