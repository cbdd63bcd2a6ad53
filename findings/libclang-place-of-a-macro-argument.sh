#!/usr/bin/env bash
# libclang 18.1.1 (PyPI), run on 2026-11-29.
# One would guess: `cursor.location` of a name that is an argument of a macro is where the name is written.
# What happens: it is where the macro's name is, for each such name. libclang knows both; `clang_getFileLocation`, which the
# package does not wrap, gives the place of the name.
# Seen: cursor.location (3, 23) clang_getFileLocation (3, 31)
# Why it matters: whoever compares uses by line and column has the macro's column for every use in EXPECT_EQ(…), so a call
# graph of tests looks wrong or empty.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet libclang==18.1.1
cat > "$folder/a.cc" <<'CODE'
#define SAME(a, b) ((a) == (b))
int price();
bool check() { return SAME(2, price()); }
CODE
"$folder/venv/bin/python" - "$folder/a.cc" <<'CODE'
import sys
from ctypes import byref, c_uint

from clang.cindex import CursorKind, Index, c_object_p, conf

unit = Index.create().parse(sys.argv[1])
(use,) = [
    one
    for one in unit.cursor.walk_preorder()
    if one.kind == CursorKind.DECL_REF_EXPR and one.spelling == "price"
]
file, line, column, offset = c_object_p(), c_uint(), c_uint(), c_uint()
conf.lib.clang_getFileLocation(use.location, *map(byref, (file, line, column, offset)))
said, written = (use.location.line, use.location.column), (line.value, column.value)
print("cursor.location", said, "clang_getFileLocation", written)
assert said == (3, 23), said  # SAME
assert written == (3, 31), written  # price
CODE
echo "as found: the location of a macro's argument is that of the macro's name"
