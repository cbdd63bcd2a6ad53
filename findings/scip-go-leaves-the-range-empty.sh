#!/usr/bin/env bash
# scip-go 0.2.9 (Go module github.com/scip-code/scip-go), run on 2026-11-30.
# One would guess: `Occurrence.range` has the place of a name. The field is documented as that, and scip-typescript,
# scip-python and readers of SCIP up to 0.7 use nothing else.
# What happens: no occurrence has a range. All have the new field `single_line_range` (8) or `multi_line_range` (9)
# of SCIP 0.10 instead, which a reader of an earlier schema keeps as an unknown field.
# Seen: occurrences=11 range=0 typed=11
# Why it matters: a reader that was written for the other indexers parses the index without an error and finds nothing
# in it, or takes every name to be at the first character of the file.
set -euo pipefail
tmp=$(mktemp -d); trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
export GOPATH="$tmp/go" GOCACHE="$tmp/cache" GOFLAGS=-modcacherw
GOBIN="$tmp/bin" go install github.com/scip-code/scip-go/cmd/scip-go@v0.2.9 >/dev/null 2>&1
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" protobuf==7.36.2
mkdir "$tmp/kit"; cd "$tmp/kit"; git init -q .
printf 'module example.org/kit\n\ngo 1.22\n' > go.mod
cat > kit.go <<'GO'
package kit

func Make() int { return 1 }
GO
cat > kit_test.go <<'GO'
package kit

import "testing"

func TestMake(t *testing.T) {
	if Make() != 1 {
		t.Fatal()
	}
}
GO
git add -A; git -c user.name=a -c user.email=a@example.org commit -qm first
"$tmp/bin/scip-go" index -o index.scip ./... >/dev/null 2>&1
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
file = descriptor_pb2.FileDescriptorProto(name="scip.proto", package="scip", syntax="proto3")
def message(name, **fields):
    made = file.message_type.add(name=name)
    for field, (number, kind, repeated) in fields.items():
        made.field.add(name=field, number=number, label=3 if repeated else 1, type=11 if isinstance(kind, str) else kind,
                       type_name=".scip." + kind if isinstance(kind, str) else None)
message("Occurrence", range=(1, 5, True), single=(8, 12, False), several=(9, 12, False))
message("Document", relative_path=(1, 9, False), occurrences=(2, "Occurrence", True))
message("Index", documents=(2, "Document", True))
pool = descriptor_pool.DescriptorPool(); pool.Add(file)
index = message_factory.GetMessageClass(pool.FindMessageTypeByName("scip.Index"))()
index.ParseFromString(open("index.scip", "rb").read())
own = [one for document in index.documents if document.relative_path.endswith(".go") for one in document.occurrences]
print(f"occurrences={len(own)} range={sum(len(one.range) > 0 for one in own)} typed={sum(bool(one.single or one.several) for one in own)}")
PY
)
want='occurrences=11 range=0 typed=11'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
