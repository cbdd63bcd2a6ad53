"""Parts of written types, whatever the language."""

import pytest

from indexer.languages import LANGUAGES_BY_NAME
from indexer.syntax.containers import read_parts


def parts(language: str, text: str) -> dict[str, str]:
    """The types of the parts, by their dotted paths."""
    known = LANGUAGES_BY_NAME[language]
    return {
        ".".join(path): written
        for path, written in read_parts(text, known.containers, known.wrapper_types)
    }


@pytest.mark.parametrize(
    ("language", "text", "path", "written"),
    [
        ("python", "list[Item]", "[]", "Item"),
        ("python", "'typing.Sequence[a.Item]'", "*", "a.Item"),
        ("python", "Optional[dict[str, list[Item]]]", "values.().*", "list[Item]"),
        ("python", "dict[str, Item] | None", "items.().*.1", "Item"),
        ("python", "tuple[A, B]", "1", "B"),
        ("python", "tuple[A, ...]", "*", "A"),
        ("python", "Callable[[int, A], Item]", "()", "Item"),
        ("python", "Iterator[Item]", "*", "Item"),
        ("typescript", ": Item[] | undefined", "[]", "Item"),
        ("typescript", "readonly (A | B)[]", "*", "(A | B)"),
        ("typescript", "Promise<ReadonlyArray<Item>>", "find.()", "Item"),
        ("typescript", "Map<string, Item>", "*.1", "Item"),
        ("typescript", "(x: A) => (y: B) => C", "()", "(y: B) => C"),
        ("typescript", "{ a: () => A; readonly b?: B, m(x: C): D }", "m.()", "D"),
        ("typescript", "{ a: () => A; readonly b?: B, m(x: C): D }", "b", "B"),
        ("typescript", "{ [key: string]: Item }", "[]", "Item"),
        ("typescript", "[a: A, b: B]", "1", "B"),
        ("go", "[]*Item", "*.1", "*Item"),
        ("go", "map[string][]Item", "[]", "[]Item"),
        ("go", "<-chan Item", "*", "Item"),
        ("go", "struct { a A; b *B }", "b", "*B"),
        ("go", "struct{ a A }", "a", "A"),
        ("go", "func(x int) (*Item, error)", "()", "*Item"),
    ],
)
def test_part_has_the_type_that_is_written(
    language: str, text: str, path: str, written: str
) -> None:
    assert parts(language, text)[path] == written


@pytest.mark.parametrize("text", ["Item", "Box[int]", "a.Item", "", "[", "x(" * 50, "list[" * 99])
def test_other_types_have_no_parts(text: str) -> None:
    assert parts("python", text) == {}


def test_tuple_and_object_have_a_bounded_number_of_parts() -> None:
    assert len(parts("python", f"tuple[{'A, B, ' * 20}A]")) == 16
    assert len(parts("typescript", "{ " + " ".join(f"a{n}: A;" for n in range(40)) + " }")) == 16
