#!/usr/bin/env bash
# scip-python 0.6.6 (npm @sourcegraph/scip-python), run on 2026-11-28.
# One would guess: `from .tools import make` and `from pkg.tools import make` refer to the same module.
# What happens: the relative form refers to a module `tools` of the project, without its package, which does not exist;
# the absolute form to `pkg.tools`. In `import … as` the occurrence covers the whole of `make as build`.
# Seen: relative=tools/__init__: absolute=`pkg.tools`/__init__: defined=`pkg.tools`/__init__: alias_text=make as build
# Why it matters: the import graph of a package that uses relative imports falls apart into modules that nobody defines,
# and two packages that have a `.utils` each seem to import the same one.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
npm install --silent --no-audit --no-fund --prefix "$tmp/tool" @sourcegraph/scip-python@0.6.6 >/dev/null
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" protobuf==7.36.2
mkdir -p "$tmp/app/pkg"; cd "$tmp/app"; git init -q .
touch pkg/__init__.py
printf "def make():\n    return 1\n" > pkg/tools.py
printf "from .tools import make as build\n\nbuild()\n" > pkg/relative.py
printf "from pkg.tools import make\n\nmake()\n" > pkg/absolute.py
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
relative = list(occurrences("pkg/relative.py")); absolute = list(occurrences("pkg/absolute.py"))
document = next(d for d in index.documents if d.relative_path == "pkg/tools.py")
defined = document.occurrences[0].symbol.split(" 1.0.0 ")[-1]
print(f"relative={relative[0][2]} absolute={absolute[0][2]} defined={defined} alias_text={relative[1][1]}")
PY
)
want='relative=tools/__init__: absolute=`pkg.tools`/__init__: defined=`pkg.tools`/__init__: alias_text=make as build'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
