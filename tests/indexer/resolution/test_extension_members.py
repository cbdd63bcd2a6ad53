"""Extension members: the types that they extend, and calls on values of the language's types."""

import pytest

from indexer.records.references import ReferenceKind
from tests.indexer.resolution.test_file_relations import record_of, uses


def receivers(path: str, text: str) -> list[str]:
    """`member binding:root` of each extension member, or scope of several."""
    return [
        f"{one.caller.removesuffix('.^')} {one.binding}:{one.root}"
        for one in record_of(path, text.encode()).references
        if one.kind is ReferenceKind.TYPE and one.caller.endswith(".^")
    ]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.kt", "fun String?.shout() = 1", ["shout free:String"]),
        ("a.kt", "import b.Order\nfun Order.paid() = 1", ["paid import:Order"]),
        ("a.kt", "object Ext {\n fun List<Int>.x() = 1\n}", ["Ext.x free:List"]),
        ("a.kt", "fun <T> T.also2() = 1\nfun Any.y() = 1", ["also2 unknown:", "y unknown:"]),
        ("a.kt", "fun plain(x: String) = 1", []),
        ("a.cs", "static class E { static void F(this int n, string s) {} }", ["E.F free:int"]),
        ("a.cs", "static class E { static void F<T>(this T n) {} }", ["E.F unknown:"]),
        (
            "a.cs",
            "static class E { extension(string s) { public int F() => 1; } }",
            ["E.F free:string"],
        ),
        ("a.swift", "extension String { func f() {} }", ["String free:String"]),
        ("a.swift", "struct A {}\nextension A { func f() {} }", []),
        (
            "a.scala",
            "extension (s: String)\n  def f = 1\n  def g = 2",
            ["f free:String", "g free:String"],
        ),
        ("a.scala", "extension [T](s: List[T])(using x: Ctx)\n  def f = 1", ["f free:List"]),
        ("a.rs", "impl Hush for str { fn f(&self) {} }", ["str free:str"]),
        ("a.rs", "use b::Order;\nimpl Paid for Order { fn f(&self) {} }", ["Order import:Order"]),
        ("a.rs", "impl<T: Show> Hush for T { fn f(&self) {} }", ["T free:Show"]),
        ("a.rs", "impl<T> Hush for T { fn f(&self) {} }", ["T unknown:"]),
        ("a.rs", "struct A;\nimpl A { fn f(&self) {} }", []),
    ],
)  # fmt: skip
def test_type_that_is_extended(path: str, text: str, expected: list[str]) -> None:
    assert receivers(path, text) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('"a b".slug()', "free:String instance slug"),
        ('"""a "b" c""".slug()', "free:String instance slug"),
        ("'a'.slug()", "free:Char instance slug"),
        ("5.slug()", "free:Int instance slug"),
        ("1.5.slug()", "free:Double instance slug"),
        ("name.slug()", "free:String instance slug"),
        ("name?.slug()", "free:String instance slug"),
        ("1 slug 2", "free:Int instance slug"),
        ("name slug name", "free:String instance slug"),
        ("StringBuilder(name).slug()", "free:StringBuilder instance slug"),
        ('"a".trim().slug()', "unknown: path slug"),
        ("name.trim().slug()", "free:String.trim result slug"),
        ('"${names["x"]}.y".slug()', "unknown: path slug"),
    ],
)
def test_call_on_a_value_of_the_language_is_kept(written: str, expected: str) -> None:
    assert f"call {expected}" in uses("a.kt", f"fun f(name: String) {{\n {written}\n}}\n")


@pytest.mark.parametrize("path", ["a.java", "a.ts", "a.py"])
def test_it_is_not_where_types_get_no_members(path: str) -> None:
    texts = {
        "a.java": 'class A { void f(String s) { s.slug(); "a".slug(); } }',
        "a.ts": 'function f(s: string) { s.slug(); "a".slug(); }',
        "a.py": 'def f(s: str):\n    s.slug()\n    "a".slug()\n',
    }
    assert uses(path, texts[path]) == []


def test_named_import_is_the_extension_where_the_receiver_is_unknown() -> None:
    text = "import b.slug\nimport b.slug as tag\nfun f(x: String) {{ x.slug(); {} }}\n"
    assert "call free:String instance slug" in uses("a.kt", text.format(""))
    assert "call import:slug path slug" in uses("a.kt", text.format("run { it.slug() }"))
    assert "call import:tag path tag" in uses("a.kt", text.format("x.tag()"))
