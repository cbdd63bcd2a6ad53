#!/usr/bin/env bash
# scip-python 0.6.6 (npm @sourcegraph/scip-python), run on 2026-11-28.
# One would guess: `type Ids = list[int]`, in Python since 3.12, defines a symbol `Ids`, or is left out as too new.
# What happens: it defines a symbol that ends with the module and has no name, and every other type alias of that file
# defines the same one. An alias by plain assignment has its name.
# Seen: Ids=`pkg.types_`/ Names=`pkg.types_`/ use_of_Ids=`pkg.types_`/ Old=`pkg.types_`/Old.
# Why it matters: all the aliases of a file are one symbol, which is also the prefix of all its others: a search for
# "symbols under this module" or a unique key on symbols meets it.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
npm install --silent --no-audit --no-fund --prefix "$tmp/tool" @sourcegraph/scip-python@0.6.6 >/dev/null
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" protobuf==7.36.2
mkdir -p "$tmp/app/pkg"; cd "$tmp/app"; git init -q .
touch pkg/__init__.py
printf "type Ids = list[int]\ntype Names = list[str]\nOld = list[int]\n\n\ndef first(ids: Ids): ...\n" > pkg/types_.py
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
found = {(line, word): symbol for line, word, symbol, _ in occurrences("pkg/types_.py")}
print("Ids=" + found[1, "Ids"], "Names=" + found[2, "Names"], "use_of_Ids=" + found[6, "Ids"], "Old=" + found[3, "Old"])
PY
)
want='Ids=`pkg.types_`/ Names=`pkg.types_`/ use_of_Ids=`pkg.types_`/ Old=`pkg.types_`/Old.'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
