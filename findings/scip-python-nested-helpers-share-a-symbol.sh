#!/usr/bin/env bash
# scip-python 0.6.6 (npm @sourcegraph/scip-python), run on 2026-11-28.
# One would guess: a function nested in a method has the method in its symbol, so that two helpers of the same name in
# two methods are two symbols; in a plain function it is so: `outer().step().`.
# What happens: in a method the name of the method is left out. `step` inside of `start`, `step` inside of `stop` and the
# real method `step` are one symbol, `Job#step().`, with three definitions in one document.
# Seen: methods=3 definitions of `pkg.jobs`/Job#step(). functions=`pkg.jobs`/outer().step().
# Why it matters: go to definition offers three places, the callers of a private helper are counted as callers of the
# public method, and a store with the symbol as its key keeps one of the three.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
npm install --silent --no-audit --no-fund --prefix "$tmp/tool" @sourcegraph/scip-python@0.6.6 >/dev/null
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" protobuf==7.36.2
mkdir -p "$tmp/app/pkg"; cd "$tmp/app"; git init -q .
touch pkg/__init__.py
cat > pkg/jobs.py <<'PY'
class Job:
    def start(self):
        def step():
            return 1
        return step()
    def stop(self):
        def step():
            return 2
        return step()
    def step(self):
        return 3
def outer():
    def step():
        return 4
    return step()
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
made = [(line, symbol) for line, word, symbol, role in occurrences("pkg/jobs.py") if word == "step" and role == "definition"]
methods = [symbol for line, symbol in made if line < 12]
print(f"methods={len(methods)} definitions of {chr(32).join(set(methods))} functions={made[-1][1]}")
PY
)
want='methods=3 definitions of `pkg.jobs`/Job#step(). functions=`pkg.jobs`/outer().step().'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
