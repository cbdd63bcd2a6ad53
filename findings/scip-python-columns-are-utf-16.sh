#!/usr/bin/env bash
# scip-python 0.6.6 (npm @sourcegraph/scip-python), run on 2026-11-30.
# One would guess: columns are what SCIP says of an indexer in Python, code points, or bytes of UTF-8; Python's own tools
# have both. `position_encoding` is 0, unspecified.
# What happens: the indexer runs in Node.js, and its columns are units of UTF-16. Text with accents hides that, as each
# letter is one unit; behind an emoji each column is one too many for code points.
# Seen: encoding=0 accent=make emoji_by_code_points=ake( emoji_by_utf_16=make
# Why it matters: a reader that slices Python's text finds other words behind an emoji, and if it checks names to see
# whether an index is fresh, it takes the file for changed.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
npm install --silent --no-audit --no-fund --prefix "$tmp/tool" @sourcegraph/scip-python@0.6.6 >/dev/null
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" protobuf==7.36.2
mkdir -p "$tmp/app/pkg"; cd "$tmp/app"; git init -q .
touch pkg/__init__.py
printf 'def make(): pass\n\n\nx = ["\xc3\xa9", make()]\ny = ["\xf0\x9f\x90\x8d", make()]\n' > pkg/text.py
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
message("Document", relative_path=(1, 9, False), occurrences=(2, "Occurrence", True), position_encoding=(6, 5, False))
message("Index", documents=(2, "Document", True))
pool = descriptor_pool.DescriptorPool(); pool.Add(file)
index = message_factory.GetMessageClass(pool.FindMessageTypeByName("scip.Index"))()
index.ParseFromString(open("index.scip", "rb").read())
document = next(d for d in index.documents if d.relative_path == "pkg/text.py")
lines = open("pkg/text.py", encoding="utf-8").read().split("\n")
made = {o.range[0]: o.range for o in document.occurrences if o.symbol.endswith("/make().")}
points = {line: lines[line][start:end] for line, start, end in made.values()}
line, start, end = made[4]
units = lines[line].encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")
print(f"encoding={document.position_encoding} accent={points[3]} emoji_by_code_points={points[4]} emoji_by_utf_16={units}")
PY
)
want='encoding=0 accent=make emoji_by_code_points=ake( emoji_by_utf_16=make'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
