#!/usr/bin/env bash
# scim2-filter-parser 0.7.0 (PyPI), run on 2026-12-01.
# One would guess: `a or b and c` is `a or (b and c)`. RFC 7644, 3.4.2.2, orders the operators: grouping, not, and, or.
# What happens: `and` and `or` bind alike and from the left, so the SQL is `(a OR b) AND c`. The other way round, `a and b or c`,
# the result is right by chance.
# Seen: or-and=((u.name = {a}) OR (u.name = {b})) AND (u.active = {c}) and-or=((u.name = {a}) AND (u.active = {b})) OR (u.name = {c})
# Why it matters: an identity provider that asks for "this one, or whoever is active there" gets other people than it asked
# for, without an error; what it then deactivates are those. With brackets the answer is right.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp" scim2-filter-parser==0.7.0
seen=$(PYTHONPATH="$tmp" python3 - <<'PY'
from scim2_filter_parser.queries import SQLQuery

columns = {("nickName", None, None): "u.name", ("active", None, None): "u.active"}


def where(text):
    return SQLQuery(text, "users", columns).where_sql.replace("\n", " ")


print(
    "or-and=" + where('nickName eq "a" or nickName eq "b" and active eq true'),
    "and-or=" + where('nickName eq "a" and active eq true or nickName eq "b"'),
)
PY
)
want='or-and=((u.name = {a}) OR (u.name = {b})) AND (u.active = {c}) and-or=((u.name = {a}) AND (u.active = {b})) OR (u.name = {c})'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
