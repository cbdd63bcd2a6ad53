#!/usr/bin/env bash
# tree-sitter-kotlin 1.1.0 and tree-sitter-swift 0.7.4 (PyPI) with tree-sitter 0.26.1, run on 2026-11-28.
# One would guess: in `!ready(a)` and `1 + size(a)` the call is the operand of the operator, as both languages say.
# What happens: Kotlin's tree calls `!ready`, and of `!box.open()` it calls the member `open` of `!box`. Swift's tree calls
# `!ready`, and of `1 + size(a)` the sum `1 + size`; beside `<` and `&&` the same call is an operand. No tree has an error.
# Seen: kotlin_not=!ready kotlin_member=!box.open swift_not=!ready swift_sum=1 + size swift_less=size errors=False
# Why it matters: a query for "the first child of a call" reads `!ready` or `1 + size` as the callee; call graphs lose
# `if !list.contains(x)`, and every call behind a plus.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" tree-sitter==0.26.1 tree-sitter-kotlin==1.1.0 tree-sitter-swift==0.7.4
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import tree_sitter as ts, tree_sitter_kotlin, tree_sitter_swift
errors = False
def callee(module, text):
    global errors
    source = text.encode()
    root = ts.Parser(ts.Language(module.language())).parse(source).root_node
    errors = errors or root.has_error
    waiting = [root]
    while waiting:
        node = waiting.pop(0)
        if node.type == "call_expression":
            first = node.named_children[0]
            return source[first.start_byte:first.end_byte].decode()
        waiting += node.children
kotlin, swift = tree_sitter_kotlin, tree_sitter_swift
found = {
    "kotlin_not": callee(kotlin, "val x = !ready(a)\n"),
    "kotlin_member": callee(kotlin, "val x = !box.open()\n"),
    "swift_not": callee(swift, "let x = !ready(a)\n"),
    "swift_sum": callee(swift, "let x = 1 + size(a)\n"),
    "swift_less": callee(swift, "let x = 1 < size(a)\n"),
}
print(*(f"{name}={value}" for name, value in found.items()), f"errors={errors}")
PY
)
want='kotlin_not=!ready kotlin_member=!box.open swift_not=!ready swift_sum=1 + size swift_less=size errors=False'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
