"""Symbols: qualified names, visibility and signatures, beyond the golden files."""

import pytest

from indexer.pipeline.worker import extract_file
from indexer.records.files import DegradeReason, FileRecord, Symbol


def record_of(path: str, text: str) -> FileRecord:
    return extract_file(path=path, mode="100644", blob="0" * 40, content=text.encode())


def symbols_of(path: str, text: str) -> tuple[Symbol, ...]:
    return record_of(path, text).symbols


def exported(path: str, text: str) -> dict[str, bool]:
    return {symbol.qualified_name: symbol.exported for symbol in symbols_of(path, text)}


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", "def a(): 1\ndef _b(): 1\n", {"a": True, "_b": False}),
        ("a.py", "class A:\n  def __init__(self): 1\n", {"A": True, "A.__init__": True}),
        ("a.py", "class _A:\n  def a(self): 1\n", {"_A": False, "_A.a": False}),
        ("a.py", "def a():\n  def b(): 1\n", {"a": True, "a.b": False}),
        ("a.go", "package a\nfunc A() {}\nfunc b() {}\n", {"A": True, "b": False}),
        ("a.js", "function a() {}\nexport { a as b };\n", {"a": True}),
        ("a.js", "function a() {}\nexport default a;\n", {"a": True}),
        ("a.js", "module.exports.a = () => {};\n", {"a": True}),
        ("a.ts", "class A { b() {} }\n", {"A": False, "A.b": False}),
        ("a.rs", "pub(crate) fn a() {}\nfn b() {}\n", {"a": True, "b": False}),
        ("A.java", "class A { public void b() {} }\n", {"A": False, "A.b": False}),
        ("a.c", "static int a(void) { return 1; }\n", {"a": False}),
        ("a.kt", "private fun a() {}\nfun b() {}\n", {"a": False, "b": True}),
        ("a.php", "<?php class A { private function b() {} }\n", {"A": True, "A.b": False}),
    ],
)
def test_exported_follows_the_rule_of_the_language(
    path: str, text: str, expected: dict[str, bool]
) -> None:
    assert exported(path, text) == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.go", "package a\nfunc (s *Store[K]) Get() {}\n", ["Store.Get"]),
        ("a.cpp", "void a::B<int>::c() {}\n", ["a.B.c"]),
        ("a.cpp", "bool A::operator==(const A& o) { return true; }\n", ["A.operator=="]),
        ("a.rb", "class A::B\n  def c; end\nend\n", ["A.B", "A.B.c"]),
        ("a.rs", "impl fmt::Display for Cache<u8> {\n fn fmt(&self) {}\n}\n", ["Cache.fmt"]),
        ("a.cs", "namespace A.B { class C { void D() {} } }\n", ["C", "C.D"]),
        ("a.ts", "const a = { b() {}, c: () => {} };\n", ["a", "a.b", "a.c"]),
    ],
)
def test_qualified_names_are_dotted(path: str, text: str, expected: list[str]) -> None:
    assert [symbol.qualified_name for symbol in symbols_of(path, text)] == expected


def test_constants_of_functions_are_no_symbols() -> None:
    assert list(exported("a.py", "A = 1\ndef f():\n    B = 2\n")) == ["A", "f"]


def test_signature_is_one_line_without_comments_and_body() -> None:
    text = "def first(\n    a: int,\n    # explains b\n    b: str = '',\n) -> None:\n    pass\n"
    (symbol,) = symbols_of("a.py", text)
    assert symbol.signature == "def first( a: int, b: str = '', ) -> None"


def test_names_and_signatures_are_cut_at_500_characters() -> None:
    name = "n" * 600
    (symbol,) = symbols_of("a.py", f"def {name}(): pass\n")
    assert symbol.name == symbol.qualified_name == "n" * 500
    assert len(symbol.signature) == 500


def test_definitions_that_nest_too_deep_degrade_the_file() -> None:
    text = "".join("  " * depth + f"def f{depth}():\n" for depth in range(80))
    record = record_of("a.py", text + "  " * 80 + "pass\n")
    assert record.degraded is DegradeReason.TOO_DEEP
    assert record.symbols == ()


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.js", "app.component({ open: function () {} });", ["method open"]),
        ("a.js", "app.component({ 'say \"x\"': function* () {} });", ['method say "x"']),
        ("a.js", "run({ open: () => 1 }); f(function () { run({ open: function () {} }); });", []),
        ("a.js", "var a = { 'b': { open: function () {} } };", ["method a.b.open"]),
        ("a.js", "var open = (function () { function inner() {} });", ["open", "open.inner"]),
        ("a.js", "var open = (function () { return 1; })();", []),
        ("a.rs", "cfg_net! {\n  pub fn open() {}\n}\n", ["function open"]),
        ("a.rs", "macro_rules! net {\n  () => { fn open() {} };\n}\n", ["function net"]),
        ("a.rs", "select! {\n  fn(x) => open(x)\n}\n", []),
        ("a.c", "struct a <% int b<:2:>; %>;", ["struct a"]),
    ],
)
def test_functions_that_are_written_as_values_or_in_macros(
    path: str, text: str, expected: list[str]
) -> None:
    names = [f"{one.kind} {one.qualified_name}" for one in symbols_of(path, text)]
    assert names == [one if " " in one else f"function {one}" for one in expected]
