#!/usr/bin/env bash
# Pygments 2.21.0 (PyPI), run on 2026-11-28.
# One would guess: `guess_lexer` is weak on short text but sure of plain code in the most used languages.
# What happens: a documented Python function and a Ruby method are a "Tera Term macro", a Go program with `package main`
# and an import is Python with full confidence, JavaScript is GDScript. By name, `go.mod` is Modula-2.
# Seen: python=Tera Term macro ruby=Tera Term macro go=Python 1.0 javascript=GDScript go.mod=Modula-2
# Why it matters: tools use it for files and code blocks without a known name; the language facet of an index then fills
# with languages that nobody in the organisation writes. A confidence of 1.0 is no guard.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" Pygments==2.21.0
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
from pygments.lexers import get_lexer_for_filename, guess_lexer
texts = {"python": "def add(a, b):\n    \"\"\"Sum.\"\"\"\n    total = a + b\n    return total\n", "ruby": "def hi\n  puts \"x\"\nend\n",
         "go": "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"x\")\n}\n", "javascript": "const x = 1;\nfunction f() { return x; }\n"}
words = []
for name, text in texts.items():
    lexer = guess_lexer(text)
    words.append(f"{name}={lexer.name}" + (f" {lexer.analyse_text(text)}" if name == "go" else ""))
print(*words, "go.mod=" + get_lexer_for_filename("go.mod", "module x\n\ngo 1.26\n").name)
PY
)
want='python=Tera Term macro ruby=Tera Term macro go=Python 1.0 javascript=GDScript go.mod=Modula-2'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
