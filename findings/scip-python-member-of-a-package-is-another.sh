#!/usr/bin/env bash
# scip-python 0.6.6 (npm @sourcegraph/scip-python), run on 2026-11-30.
# One would guess: `pkg.Second()` refers to the class `Second`, which the package passes on by `from ._parts import *`.
# What happens: each member that came by the star refers to the one that was used first, here `First`, and so does the
# module in the import itself. An attribute in `__slots__` refers to its class.
# Seen: First=`pkg._parts`/First# Second=`pkg._parts`/First# module=`pkg._parts`/First# slot=slots/Box#
# Why it matters: in real packages (`httpx.Client` is `AsyncClient#`) most references through the package lead to another
# class, which gets all the callers, with the certainty of a compiler.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
npm install --silent --no-audit --no-fund --prefix "$tmp/tool" @sourcegraph/scip-python@0.6.6 >/dev/null
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" protobuf==7.36.2
mkdir -p "$tmp/app/pkg"; cd "$tmp/app"; git init -q .
printf "from ._parts import *\n" > pkg/__init__.py
printf '__all__ = ["Second", "First"]\n\n\nclass First:\n    pass\n\n\nclass Second:\n    pass\n' > pkg/_parts.py
printf "import pkg\n\npkg.First()\npkg.Second()\n" > use.py
printf 'class Box:\n    __slots__ = ("_size",)\n\n    def size(self):\n        return self._size\n' > slots.py
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
used = {word: symbol for _, word, symbol, _ in occurrences("use.py")}
module = next(symbol for _, word, symbol, _ in occurrences("pkg/__init__.py") if word == "._parts")
slot = next(symbol for _, word, symbol, _ in occurrences("slots.py") if word == "_size")
print(f"First={used['First']} Second={used['Second']} module={module} slot={slot}")
PY
)
want='First=`pkg._parts`/First# Second=`pkg._parts`/First# module=`pkg._parts`/First# slot=slots/Box#'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
