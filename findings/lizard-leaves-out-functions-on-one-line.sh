#!/usr/bin/env bash
# lizard 1.24.3 (PyPI, counts functions and complexity in many languages), run on 2026-11-28.
# One would guess: each function is reported once, under the type that holds it.
# What happens: a Python function on one line is left out. A default method of a Java interface that follows a record is
# reported as a method of that record, and a C# property with a body and a method with a `where` clause are left out.
# Seen: python=b (of a,b) java=R::one,R::greet (greet is of the interface) csharp=C::Plain (of Pick, Plain, Size)
# Why it matters: figures for each function are joined to other indexes by name and line; missing rows read as "no
# complexity", and a wrong owner joins to the wrong class.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" lizard==1.24.3
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import lizard
names = lambda path, text: ",".join(f.name for f in lizard.analyze_file.analyze_source_code(path, text).function_list)
python = names("a.py", "def a(): return 1\n\n\ndef b():\n    return 2\n")
java = names("A.java", "record R(int a) {\n  int one() { return 1; }\n}\ninterface I {\n  default void greet() { }\n}\n")
sharp = names("a.cs", "class C {\n  int Pick<T>(T x) where T : class { return 1; }\n  void Plain() { }\n  int Size { get { return 1; } }\n}\n")
print(f"python={python} (of a,b) java={java} (greet is of the interface) csharp={sharp} (of Pick, Plain, Size)")
PY
)
want='python=b (of a,b) java=R::one,R::greet (greet is of the interface) csharp=C::Plain (of Pick, Plain, Size)'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
