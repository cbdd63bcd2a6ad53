"""What is counted of lines that a grammar does not understand."""

import pytest

from indexer.languages import LANGUAGES_BY_NAME
from indexer.pipeline.worker import extract_file
from indexer.records.files import DegradeReason, FileRecord, UnparsedLines
from indexer.resolution import unparsed
from indexer.resolution.unparsed import read_unparsed
from indexer.syntax import trees
from indexer.syntax.source_text import SourceText


def extracted(source: str, path: str = "a.py") -> FileRecord:
    return extract_file(path=path, mode="100644", blob="a" * 40, content=source.encode())


def scanned(source: str, language: str = "java") -> tuple[list[str], list[str]]:
    """The names, and those that look called, of a source that is unparsed as a whole."""
    content = source.encode()
    found = read_unparsed(LANGUAGES_BY_NAME[language], SourceText(content), [(0, len(content))])
    assert found is not None
    return list(found.unparsed.names), [one.name for one in found.references]


@pytest.mark.parametrize(
    ("language", "source", "names", "calls"),
    [
        ("java", "a(b) /* c(1) */ d(2) // e(3)", ["a", "b", "d"], ["a", "d"]),
        ("java", "a(\"b(1)\", '(') + c<D, E>(f)", ["D", "E", "a", "c", "f"], ["a", "c"]),
        ("java", "if (a) while (b) return (c)", ["a", "b", "c"], []),
        ("python", "def a(b): # c(1)\n d (e)", ["a", "b", "d", "e"], ["d"]),
        ("python", "a // b(1)", ["a", "b"], ["b"]),
        ("ruby", "a.b?(c) { d!(1) }", ["a", "b?", "c", "d!"], ["b?", "d!"]),
        ("rust", "fn a(b: &'c d) { e::<f>(g); h!(1) }", list("abcdefgh"), ["e", "h"]),
        ("lua", "a(1) -- b(2)", ["a"], ["a"]),
        ("go", "ä(b) + `c`", ["b", "c", "ä"], ["ä"]),
        ("go", "go(a); defer b()", ["a", "b"], ["b"]),
        (
            "java",
            "go(a).delete(b).print(c)",
            ["a", "b", "c", "delete", "go", "print"],
            [
                "go",
                "delete",
                "print",
            ],
        ),
        (
            "python",
            "print(a).filter(b); a.print(1)",
            ["a", "b", "filter", "print"],
            [
                "filter",
                "print",
            ],
        ),
    ],
)
def test_names_and_calls_outside_of_comments_and_strings(
    language: str, source: str, names: list[str], calls: list[str]
) -> None:
    assert scanned(source, language) == (names, calls)


def test_a_use_is_of_unknown_meaning_and_of_the_definition_around_it() -> None:
    record = extracted("x = 'ä'\ndef f():\n    def = g(1)\n")
    assert record.unparsed is not None
    assert record.unparsed.lines == (UnparsedLines(3, 3, 1),)
    [reference] = record.references
    assert tuple(reference) == ("call", "g", "unknown", "", "", "path", "f", 3, 10)


def test_a_file_without_errors_has_no_unparsed_lines() -> None:
    assert extracted("def f():\n    g(1)\n").unparsed is None


def test_an_error_without_names_is_left_out() -> None:
    assert extracted("def f():\n    g(1)\n\n)\n").unparsed is None


def test_of_a_file_whose_parse_is_given_up_every_name_is_unparsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trees, "_MAX_ERROR_WORK", 0)
    record = extracted("def f():\n    def = g(1)\n\nh(2)\n")
    assert record.degraded is DegradeReason.PARSE_FAILED
    assert record.unparsed is not None
    assert record.unparsed.lines == (UnparsedLines(1, 4, 2),)
    assert [(one.name, one.line) for one in record.references] == [("g", 2), ("h", 4)]


@pytest.mark.parametrize("limit", ["UNPARSED_CALLS", "UNPARSED_NAMES"])
def test_what_is_beyond_a_limit_is_told(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "def f():\n    def = g(1) + h(2)\n"
    whole = extracted(source).unparsed
    assert whole is not None
    assert whole.is_complete
    monkeypatch.setattr(unparsed, limit, 1)
    cut = extracted(source).unparsed
    assert cut is not None
    assert not cut.is_complete
    assert cut.lines == whole.lines


def test_ranges_beyond_the_limit_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    source = b"a(1)\n\n\n" * 4
    ranges = [(start, start + 4) for start in range(0, len(source), 7)]

    def lines() -> list[tuple[int, int, int]]:
        found = read_unparsed(LANGUAGES_BY_NAME["go"], SourceText(source), ranges)
        return [] if found is None else list(map(tuple, found.unparsed.lines))

    assert lines() == [(1, 1, 1), (4, 4, 1), (7, 7, 1), (10, 10, 1)]
    monkeypatch.setattr(unparsed, "UNPARSED_RANGES", 2)
    assert lines() == [(1, 1, 1), (4, 10, 3)]


def test_a_string_of_several_lines_in_an_error_is_code() -> None:
    """Kotlin's grammar knows such parameter, and pairs quotes of two strings."""
    source = (
        'class T {\n fun a(dynamic: X) = b(dynamic, c(""))\n\n fun d() {\n  go(js("e"))\n }\n}\n'
    )
    record = extracted(source, "a.kt")
    assert [one.name for one in record.references if one.line == 5] == ["go", "js"]
