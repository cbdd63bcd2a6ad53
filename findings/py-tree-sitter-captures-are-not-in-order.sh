#!/usr/bin/env bash
# tree-sitter 0.26.1 (PyPI, the Python binding) with tree-sitter-python 0.25.0, run on 2026-11-28.
# One would guess: `QueryCursor.captures` gives, for each capture name, the nodes in the order of the text, since the
# library under it promises captures in order.
# What happens: the list of a name comes in an order of its own (a, c, d, b here), though all the nodes are there;
# `matches` on the same query is in order. The documentation says only that it is a list.
# Seen: matches_in_order=True captures_complete=True captures_in_order=False
# Why it matters: "the first capture is the name", "pair the nth name with the nth body" and "keep the last one" are
# usual in code that indexes with queries; they are right on small files and wrong on larger ones.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" tree-sitter==0.26.1 tree-sitter-python==0.25.0
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import tree_sitter as ts, tree_sitter_python
language = ts.Language(tree_sitter_python.language())
text = "".join(f"def name{i:02}():\n    pass\n" for i in range(40)).encode()
root = ts.Parser(language).parse(text).root_node
query = ts.Query(language, "(function_definition name: (identifier) @n)")
captures = [n.start_byte for n in ts.QueryCursor(query).captures(root)["n"]]
matches = [m[1]["n"][0].start_byte for m in ts.QueryCursor(query).matches(root)]
print(f"matches_in_order={matches == sorted(matches)}", f"captures_complete={sorted(captures) == matches}",
      f"captures_in_order={captures == sorted(captures)}")
PY
)
want='matches_in_order=True captures_complete=True captures_in_order=False'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
