#!/usr/bin/env bash
# tree-sitter-kotlin 1.1.0 with tree-sitter 0.26.1 (PyPI), run on 2026-11-29.
# One would guess: `class A { fun f() = 1 }`, which every Kotlin compiler takes, parses like the same class on three lines.
# What happens: in one line the last member of a class, interface or object must end with `;`. Without it a function gives
# a MISSING token, a property or a nested class an ERROR around it, and of a nested class the outer one becomes an
# enumeration's body. Enumerations without members, and blocks of functions, need none.
# Seen: one_line=True lines=False semicolon=False property=True nested=enum_class_body enumeration=False block=False
# Why it matters: small classes (value objects, exceptions, companions) are written in one line; whoever drops what stands
# in an error loses their members, and the file counts as broken.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" tree-sitter==0.26.1 tree-sitter-kotlin==1.1.0
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import tree_sitter, tree_sitter_kotlin
parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_kotlin.language()))
root = lambda text: parser.parse(text.encode()).root_node
broken = lambda text: root(text).has_error
nested = "enum_class_body" if "enum_class_body" in str(root("class A { class B }")) else "class_body"
print(
    f"one_line={broken('class A { fun f() = 1 }')}", f"lines={broken(chr(10).join(('class A {', ' fun f() = 1', '}')))}",
    f"semicolon={broken('class A { fun f() = 1; }')}", f"property={broken('object A { val x = 1 }')}", f"nested={nested}",
    f"enumeration={broken('enum class E { X, Y }')}", f"block={broken('fun g() { fun f() = 1 }')}",
)
PY
)
want='one_line=True lines=False semicolon=False property=True nested=enum_class_body enumeration=False block=False'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
