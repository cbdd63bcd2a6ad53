"""Written types as the path of a class."""

import pytest

from indexer.syntax.types import read_type, read_types

TRANSPARENT = frozenset({"Optional", "Promise", "Arc", "unique_ptr"})


@pytest.mark.parametrize(
    "text",
    [
        "a.Foo", "'a.Foo'", "Optional[a.Foo]", "Optional['a.Foo']", "a.Foo | None", "None | a.Foo",
        ": a.Foo", ": Promise<a.Foo | undefined>", "a.Foo?", "a::Foo<T, U>", "&'x mut a::Foo",
        "*a.Foo", "const std::unique_ptr<a::Foo>&", "Arc<dyn a::Foo>", "a\\Foo", "a.Foo[int]",
        "?a\\Foo",
    ],
)  # fmt: skip
def test_pointers_nullability_and_arguments_are_left_out(text: str) -> None:
    read = read_type(text, TRANSPARENT)
    assert read is not None
    assert (read.path, read.is_class_object) == (("a", "Foo"), False)


@pytest.mark.parametrize("text", ["list[a.Foo]", "list"])
def test_container_is_itself(text: str) -> None:
    read = read_type(text, TRANSPARENT)
    assert read is not None
    assert read.path == ("list",)


@pytest.mark.parametrize(
    "text",
    [
        "a.Foo | a.Bar",
        "(x: Foo) => Bar",
        "Foo[]",
        "Foo[,]",
        "[]Foo",
        "{ a: Foo }",
        "",
        "<",
        "x" * 999,
    ],
)
def test_unions_functions_and_arrays_are_unknown(text: str) -> None:
    assert read_type(text, TRANSPARENT) is None


@pytest.mark.parametrize("text", ["type[a.Foo]", ": typeof a.Foo"])
def test_class_itself_is_told_from_its_instance(text: str) -> None:
    read = read_type(text, TRANSPARENT)
    assert read is not None
    assert (read.path, read.is_class_object) == (("a", "Foo"), True)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("A | m.B", ["A", "m.B"]),
        (": Promise<A | B | undefined>", ["A", "B"]),
        ("Union[A, m.B, None]", ["A", "m.B"]),
        ("Optional[Union[A, B]]", ["A", "B"]),
        ("'A | None'", ["A"]),
        ("'a' | 'b'", []),
        ("A<B | C>", ["A"]),
        ("(x: A) => B | C", []),
        ("(A | B)[]", []),
    ],
)
def test_each_class_of_a_union(text: str, paths: list[str]) -> None:
    assert [".".join(read.path) for read in read_types(text, TRANSPARENT)] == paths
