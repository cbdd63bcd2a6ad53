#!/usr/bin/env bash
# scip-python 0.6.6 (npm @sourcegraph/scip-python), run on 2026-11-28.
# One would guess: the function that runs is the definition of an overloaded function; the overloads are declarations.
# What happens: the first `@overload` stub is the definition. The implementation is an occurrence with the role "read
# access", as if somebody used it. So are the setter of a property and the second branch of `if …: def … else: def …`,
# and an assignment to a module variable that has one already.
# Seen: overload=definition,read implementation=read setter=read else_branch=read assignment=read
# Why it matters: "go to definition" lands on a stub with no body, and each implementation counts as one use of itself,
# so dead code looks used.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
npm install --silent --no-audit --no-fund --prefix "$tmp/tool" @sourcegraph/scip-python@0.6.6 >/dev/null
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" protobuf==7.36.2
mkdir -p "$tmp/app/pkg"; cd "$tmp/app"; git init -q .
touch pkg/__init__.py
cat > pkg/tools.py <<'PY'
import sys
from typing import overload
@overload
def read(k: int) -> int: ...
@overload
def read(k: str) -> str: ...
def read(k):
    return k
class Box:
    @property
    def size(self):
        return 1
    @size.setter
    def size(self, value):
        pass
if sys.argv:
    def run(): return 1
else:
    def run(): return 2
LIMIT = 1
LIMIT = 2
PY
"$tmp/tool/node_modules/.bin/scip-python" index . --project-name acme --project-version 1.0.0 --quiet --output index.scip >/dev/null
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
file = descriptor_pb2.FileDescriptorProto(name="scip.proto", package="scip", syntax="proto3")
def message(name, **fields):
    made = file.message_type.add(name=name)
    for field, (number, kind, repeated) in fields.items():
        made.field.add(name=field, number=number, label=3 if repeated else 1, type=11 if isinstance(kind, str) else kind,
                       type_name=".scip." + kind if isinstance(kind, str) else None)
message("Occurrence", range=(1, 5, True), symbol=(2, 9, False), symbol_roles=(3, 5, False))
message("Document", relative_path=(1, 9, False), occurrences=(2, "Occurrence", True))
message("Index", documents=(2, "Document", True))
pool = descriptor_pool.DescriptorPool(); pool.Add(file)
index = message_factory.GetMessageClass(pool.FindMessageTypeByName("scip.Index"))()
index.ParseFromString(open("index.scip", "rb").read())
def occurrences(path):
    lines = open(path).read().split("\n")
    document = next(d for d in index.documents if d.relative_path == path)
    for o in document.occurrences:
        if len(o.range) == 3 and list(o.range) != [0, 0, 0]:
            yield o.range[0] + 1, lines[o.range[0]][o.range[1]:o.range[2]], o.symbol.split(" 1.0.0 ")[-1], "definition" if o.symbol_roles & 1 else "read" if o.symbol_roles & 8 else "write"
role = {(line, word): role for line, word, _, role in occurrences("pkg/tools.py")}
print("overload=" + role[4, "read"] + "," + role[6, "read"], "implementation=" + role[7, "read"], "setter=" + role[14, "size"],
      "else_branch=" + role[19, "run"], "assignment=" + role[21, "LIMIT"])
PY
)
want='overload=definition,read implementation=read setter=read else_branch=read assignment=read'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
