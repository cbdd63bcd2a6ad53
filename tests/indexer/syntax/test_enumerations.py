"""Constants of enumerations, and names that contain a word of C++."""

import pytest

from indexer.pipeline.worker import extract_file


def _names(path: str, text: str) -> list[str]:
    record = extract_file(path=path, mode="100644", blob="0" * 40, content=text.encode())
    return [f"{one.kind} {one.qualified_name}" for one in record.symbols]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.c", "enum E { A = 1 };"),
        ("a.cs", "enum E { A = 1 }"),
        ("E.java", "enum E { A(1) }"),
        ("a.kt", "enum class E {\n  A\n}\n"),
        ("a.php", "<?php\nenum E { case A; }"),
        ("a.rs", "enum E { A(i32) }"),
        ("a.scala", "enum E:\n  case A\n"),
        ("a.swift", "enum E { case A(Int) }"),
        ("a.ts", "enum E { A = 1 }"),
        ("a.ts", "enum E { 'A' }"),
    ],
)
def test_constants_of_an_enumeration_are_its_members(path: str, text: str) -> None:
    assert _names(path, text) == ["enum E", "constant E.A"]


def test_methods_in_a_constants_body_are_those_of_the_enumeration() -> None:
    assert "method E.go" in _names("E.java", "enum E { A { void go() {} } }")


def test_operator_within_a_name_is_no_operator() -> None:
    assert _names("a.py", "def get_operator(): ...\n") == ["function get_operator"]
    assert _names("a.cpp", "X::operator int() const { }") == ["method X.operator int"]
