"""Calls with type arguments that the grammars read as comparisons."""

import pytest

from indexer.pipeline.worker import extract_file


def calls(path: str, source: str) -> list[str]:
    record = extract_file(path=path, mode="100644", blob="a" * 40, content=source.encode())
    assert record.unparsed is None
    return [one.name for one in record.references if one.kind == "call"]


@pytest.mark.parametrize(
    ("expression", "called"),
    [
        ("decode<Foo>(s)", ["decode"]),
        ("decode<Foo>()", ["decode"]),
        ("fails<Foo> { go() }", ["fails", "go"]),
        ("h(decode<Map<String, List<Foo?>>>(s), 1)", ["h", "decode"]),
        ("codec.decode<Foo, Bar<*>>(s)", ["decode"]),
        ("if (i<n) decode<Foo>(s)", ["decode"]),
        ("check(i < n && n > (m))", []),
        ("val isLess = i<n", []),
        ('val text = "decode<Foo>(s)"', []),
    ],
)
def test_a_call_of_kotlin_with_type_arguments_is_a_call(expression: str, called: list[str]) -> None:
    assert calls("a.kt", f"fun f(s: String, i: Int, n: Int) {{\n    {expression}\n}}\n") == called


def test_what_a_kotlin_class_declares_keeps_its_type_parameters() -> None:
    source = "class Box<T>(val item: T) : Base<Foo>(item) {\n    fun open() = item.close()\n}\n"
    record = extract_file(path="a.kt", mode="100644", blob="a" * 40, content=source.encode())
    assert [one.name for one in record.references if one.kind == "inherit"] == ["Base"]
    assert [one.signature for one in record.symbols][:1] == [
        "class Box<T>(val item: T) : Base<Foo>(item)"
    ]


@pytest.mark.parametrize(
    ("expression", "called"),
    [
        ("sql<Row>`select ${id(1)}`", ["sql", "id"]),
        ("styled.div<Props | A<B>>`a`", ["div"]),
        ("a<b && c>`x`", []),
    ],
)
def test_a_tagged_template_with_type_arguments_is_a_call(
    expression: str, called: list[str]
) -> None:
    assert calls("a.ts", f"const q = {expression}\n") == called
