#!/usr/bin/env bash
# tree-sitter-python 0.25.0 with tree-sitter 0.26.1 (PyPI), run on 2026-11-29.
# One would guess: `case A(),:` (a sequence of one) has another tree than `case A():` (an instance), as they match other
# things: Python's own parser gives MatchSequence and MatchClass.
# What happens: the trees are equal. A pattern without brackets is several `case_pattern` children of the clause, without
# a node for the sequence, and the comma after a single one is an unnamed token that no printed tree shows.
# An anchor before ":" does not help: it passes over the comma.
# Seen: equal=True python=MatchClass,MatchSequence brackets=tuple_pattern unnamed=, anchored=1,3
# Why it matters: a query that narrows the subject's type by a class pattern takes the sequence for an instance, and says
# of `x` that it is an `A` where it is a tuple. The text between pattern and ":" has to be read.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" tree-sitter==0.26.1 tree-sitter-python==0.25.0
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import ast, tree_sitter, tree_sitter_python
language = tree_sitter.Language(tree_sitter_python.language())
parser = tree_sitter.Parser(language)
text = "match x:\n case {}:\n  pass\n".format
clause = lambda pattern: parser.parse(text(pattern).encode()).root_node.children[0].child_by_field_name("body").children[0]
kind = lambda pattern: type(ast.parse(text(pattern)).body[0].cases[0].pattern).__name__
one, many = clause("A()"), clause("A(),")
unnamed = [child.type for child in many.children if not child.is_named and child.type not in {"case", ":"}]
query = tree_sitter.Query(language, '(case_clause . (case_pattern (class_pattern)) @found . ":")')
both = parser.parse(b"match x:\n case A():\n  pass\n case A(),:\n  pass\n").root_node
anchored = sorted(node.start_point.row for node in tree_sitter.QueryCursor(query).captures(both)["found"])
print(
    f"equal={str(one) == str(many)}", f"python={kind('A()')},{kind('A(),')}",
    f"brackets={clause('(A(),)').named_children[0].named_children[0].type}", f"unnamed={''.join(unnamed)}",
    f"anchored={','.join(map(str, anchored))}",
)
PY
)
want='equal=True python=MatchClass,MatchSequence brackets=tuple_pattern unnamed=, anchored=1,3'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
