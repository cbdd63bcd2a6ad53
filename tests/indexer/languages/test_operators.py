"""Calls beside operators: each is bound to what it calls, whatever the grammar makes of them."""

import pytest

from indexer.pipeline.worker import extract_file
from indexer.records.references import Binding

EXPRESSIONS = (
    "1 + f(2)", "2 * f(2)", "!f(2)", "-f(2)", "c && f(2)", "c == f(2)", "1 < f(2)", "(f(2))",
    "f(1) + f(2) * f(3)", "b.g() + f(2)", "1 + b.g()", "!b.g()", "-b.g()", "2 * b.g()",
)  # fmt: skip
SOURCES = {
    "a.kt": "class B {{ fun g() = 1 }}\nfun f(n: Int) = n\n"
    "fun run(b: B, c: Boolean) {{\nval q = {}\n}}",
    "a.scala": "class B {{ def g() = 1 }}\nobject O {{\ndef f(n: Int) = n\n"
    "def run(b: B, c: Boolean) = {{\nval q = {}\n}}\n}}",
    "a.swift": "class B {{ func g() -> Int {{ 1 }} }}\nfunc f(_ n: Int) -> Int {{ n }}\n"
    "func run(b: B, c: Bool) {{\nlet q = {}\n}}",
    "a.go": "package p\ntype B struct{{}}\nfunc (b B) g() int {{ return 1 }}\n"
    "func f(n int) int {{ return n }}\nfunc run(b B, c bool) {{\nq := {}\n}}",
    "a.java": "class B {{ int g() {{ return 1; }}\nstatic int f(int n) {{ return n; }}\n"
    "void run(B b, boolean c) {{\nvar q = {};\n}} }}",
    "a.cs": "class B {{ int g() {{ return 1; }}\nstatic int f(int n) {{ return n; }}\n"
    "void run(B b, bool c) {{\nvar q = {};\n}} }}",
    "a.ts": "class B {{ g() {{ return 1 }} }}\nfunction f(n) {{ return n }}\n"
    "function run(b: B, c) {{\nconst q = {};\n}}",
    "a.rs": "struct B;\nimpl B {{ fn g(&self) -> i32 {{ 1 }} }}\nfn f(n: i32) -> i32 {{ n }}\n"
    "fn run(b: B, c: bool) {{\nlet q = {};\n}}",
    "a.cpp": "struct B {{ int g() {{ return 1; }} }};\nint f(int n) {{ return n; }}\n"
    "void run(B b, bool c) {{\nauto q = {};\n}}",
}


@pytest.mark.parametrize("path", SOURCES)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_call_beside_an_operator_is_bound(path: str, expression: str) -> None:
    content = SOURCES[path].format(expression).encode()
    record = extract_file(path=path, mode="100644", blob="a" * 40, content=content)
    line = content[: content.index(expression.encode())].count(b"\n") + 1
    found = [one for one in record.references if one.line == line and one.kind == "call"]
    assert len(found) == expression.count("f(") + expression.count("g(")
    assert all(one.binding is not Binding.UNKNOWN for one in found), found
