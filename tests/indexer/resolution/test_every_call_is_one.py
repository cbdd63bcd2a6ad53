"""Calls whose receiver is a literal, a sign or a variable are references, if only unknown ones."""

import pytest

from indexer.pipeline.worker import extract_file


@pytest.mark.parametrize(
    ("path", "text", "calls"),
    [
        ("a.js", "import $ from 'zx';\n$(1);\n", ["import $ $"]),
        ("a.js", "$(1);\n$.get(2);\n", ["free $ $", "free $ get"]),
        ("a.ts", "'a b'.split(' ').map(f).join('');\n", ["unknown  map", "unknown  join"]),
        ("a.py", "','.join(a).strip()\nb'a'.decode()\n", ["unknown  strip"]),
        ("a.py", "r'\\d'.encode().hex()\n", ["unknown  hex"]),
        ("a.rs", 'fn f() { b"a".repeat(2); "a".shout(); }', ["unknown  repeat", "free str shout"]),
        ("a.rs", "fn f() { S::r#async(1); }", ["free S r#async"]),
        ("a.rb", "x = `git log`.shout\n", ["free String shout"]),
        ("a.scala", 'object O { val a = s"b$c".slug() }', ["free String slug", "free c c"]),
        ("a.cs", 'class A { void F() { $"b {c}".Slug(); } }', ["free string Slug"]),
        ("a.cs", 'class A { void F() { @"b".Slug(); } }', ["free string Slug"]),
        ("a.swift", 'func f() { #"a"#.hushed(); "b".hushed() }', ["free String hushed"] * 2),
        ("a.ex", "defmodule A do\n def f(s) do\n  s.go(1)\n end\nend\n", ["unknown  go"]),
    ],
)
def test_a_call_is_a_reference_unless_its_type_has_no_other_members(
    path: str, text: str, calls: list[str]
) -> None:
    record = extract_file(path=path, mode="100644", blob="a" * 40, content=text.encode())
    found = [one for one in record.references if one.kind == "call"]
    assert [f"{one.binding} {one.root} {one.name}" for one in found] == calls
