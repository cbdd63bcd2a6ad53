#!/usr/bin/env bash
# scip-python 0.6.6 (npm @sourcegraph/scip-python), run on 2026-11-28.
# One would guess: after `from pkg.tools import *` the call `make()` refers to the function `make`, as it does after
# `from pkg.tools import make`. The resolver under the indexer knows it.
# What happens: each use of a name that came by the star refers to the module `pkg.tools/__init__:`; the function has no
# reference in that file. A class that is defined there under a name that the star brings loses its definition too.
# Seen: star=`pkg.tools`/__init__: named=`pkg.tools`/make(). own_class=`pkg.tools`/__init__:,read
# Why it matters: "no callers" is wrong for code that uses star imports (Django settings, test helpers, numeric code),
# while the module seems to be used a great deal.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
npm install --silent --no-audit --no-fund --prefix "$tmp/tool" @sourcegraph/scip-python@0.6.6 >/dev/null
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" protobuf==7.36.2
mkdir -p "$tmp/app/pkg"; cd "$tmp/app"; git init -q .
touch pkg/__init__.py
printf "class Box:\n    pass\n\n\ndef make():\n    return 1\n" > pkg/tools.py
printf "from pkg.tools import *\n\n\nclass Box:\n    pass\n\n\nmake()\n" > pkg/star.py
printf "from pkg.tools import make\n\nmake()\n" > pkg/named.py
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
star = [s for _, word, s, _ in occurrences("pkg/star.py") if word == "make"][-1]
named = [s for _, word, s, _ in occurrences("pkg/named.py") if word == "make"][-1]
own = [f"{s},{role}" for line, word, s, role in occurrences("pkg/star.py") if word == "Box"]
print(f"star={star} named={named} own_class={chr(32).join(own)}")
PY
)
want='star=`pkg.tools`/__init__: named=`pkg.tools`/make(). own_class=`pkg.tools`/__init__:,read'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
