#!/usr/bin/env bash
# scip-go 0.2.9 (Go module github.com/scip-code/scip-go), run on 2026-11-30.
# One would guess: each document of an index is a file of the module, and its path is relative to the module's
# directory, as the format asks for; a package with a test has two documents, its file and its test.
# What happens: `go test` writes a main program of its own for the package, into Go's build cache. It is indexed too, as
# a document whose relative path leads out of the module, with definitions of a package `example.org/kit.test`.
# Seen: documents=3 inside=kit.go,kit_test.go outside=1 of example.org/kit.test
# Why it matters: who joins paths to the checkout reads a file outside of it, or refuses the index of every Go module
# that has tests; and the path names the home directory of whoever ran the indexer.
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
message("Occurrence", symbol=(2, 9, False))
message("Document", relative_path=(1, 9, False), occurrences=(2, "Occurrence", True))
message("Index", documents=(2, "Document", True))
pool = descriptor_pool.DescriptorPool(); pool.Add(file)
index = message_factory.GetMessageClass(pool.FindMessageTypeByName("scip.Index"))()
index.ParseFromString(open("index.scip", "rb").read())
inside = sorted(one.relative_path for one in index.documents if not one.relative_path.startswith("../"))
outside = [one for one in index.documents if one.relative_path.startswith("../")]
packages = {one.occurrences[0].symbol.split("`")[1] for one in outside}
print(f"documents={len(index.documents)} inside={','.join(inside)} outside={len(outside)} of {','.join(packages)}")
PY
)
want='documents=3 inside=kit.go,kit_test.go outside=1 of example.org/kit.test'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
