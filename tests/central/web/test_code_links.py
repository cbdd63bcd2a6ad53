"""Links on identifiers: where they are, and that the code around them stays what it is."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from central.corpus.identifiers import StoredDefinition, StoredReference
from central.trace.written_names import line_starts
from central.web.highlighting import CodeLink, listing
from central.web.views_files import identifier_links

PIECES = st.lists(
    st.sampled_from(["def ", "f", "(", "<b>", "&amp;", '"', "\n", "é", " ", "</a>", "\r\n"])
).map("".join)
_LINK = re.compile(r'<a href="([^"]*)">((?:(?!</a>).)*)</a>')
_TAG = re.compile(r"<[^>]*>")


def links_of(
    code: str, references: list[tuple[int, int, str]], definitions: list[tuple[int, int, str]]
) -> list[CodeLink]:
    return identifier_links(
        code,
        references=[StoredReference(*one) for one in references],
        definitions=[StoredDefinition(*one) for one in definitions],
        reference_url=lambda one: f"r{one.line}/{one.column}",
        definition_url=lambda one: f"d{one.start_line}?a=1&b={one.name}",
    )


def linked(code: str, links: list[CodeLink]) -> list[tuple[str, str]]:
    """(text, address) of the links in the HTML of the lines."""
    html = "\n".join(listing(code, language="python", links=links).lines)
    return [(unescape(_TAG.sub("", text)), unescape(url)) for url, text in _LINK.findall(html)]


def test_a_reference_leads_to_its_meaning_and_a_definition_to_its_users() -> None:
    code = "@cached\ndef run(x):\n    return run(é, x)\n"
    links = links_of(code, [(1, 1, "cached"), (3, 11, "run")], [(2, 3, "run")])
    assert linked(code, links) == [
        ("cached", "r1/1"),
        ("run", "d2?a=1&b=run"),
        ("run", "r3/11"),
    ]


@pytest.mark.parametrize(
    ("code", "name", "start"),
    [
        ("func (s *S) S() {}", "S", 12),
        ("int n::f(int f2)", "f", 7),
        ("def deff(defff)", "deff", 4),
        ("class A < B", "A", 6),
        ("static int\nrun (void)", "run", 11),
        ("class Store {\n  Store(int size);\n};", "Store", 6),
        ("function shown (x) {\n  return JSON.shown(x)\n}", "shown", 9),
        ("def []=(a); end", "[]=", 4),
        ('class K { "quoted name"() {} }', "quoted name", 11),
    ],
)
def test_the_name_of_a_definition_is_found_in_its_first_lines(
    code: str, name: str, start: int
) -> None:
    assert [one.start for one in links_of(code, [], [(1, 9, name)])] == [start]


@pytest.mark.parametrize(
    ("references", "definitions"),
    [
        ([(1, 0, "other")], []),
        ([(99, 0, "def")], []),
        ([(1, 10**9, "f")], []),
        ([(1, 0, "")], []),
        ([(1, 4, "f():\n")], []),
        ([], [(99, 99, "f")]),
        ([], [(1, 1, "nothing")]),
    ],
)
def test_what_is_not_there_is_no_link(
    references: list[tuple[int, int, str]], definitions: list[tuple[int, int, str]]
) -> None:
    assert links_of("def f():\n    pass\n", references, definitions) == []


def test_links_do_not_overlap() -> None:
    assert [one[:2] for one in links_of("a.b.c", [(1, 0, "a.b"), (1, 2, "b.c")], [])] == [(0, 3)]


def test_a_link_over_several_tokens_is_one_link() -> None:
    [line] = listing("x = 'a'", language="python", links=[CodeLink(0, 7, "all")]).lines
    assert line.startswith('<a href="all">')
    assert line.count("<a ") == line.count("</a>") == 1
    assert line.endswith("</a>")


@given(
    code=PIECES,
    marks=st.lists(st.tuples(st.integers(1, 5), st.integers(0, 9), st.integers(1, 4))),
    words=st.lists(st.sampled_from(["f", "b"])),
)
def test_the_text_is_unchanged_and_each_line_is_closed(
    code: str, marks: list[tuple[int, int, int]], words: list[str]
) -> None:
    starts = line_starts(code)
    references = []
    for line, column, length in marks:
        if line <= len(starts):
            at = starts[line - 1] + column
            references.append((line, column, code[at : at + length]))
    links = links_of(code, references, [(1, 5, "f")])
    lines = listing(code, language="python", words=words, links=links).lines
    assert "\n".join(unescape(_TAG.sub("", one)) for one in lines) == code.removesuffix("\n")
    for line in lines:
        tags = re.findall(r"<(/?)(\w+)", line)
        open_tags: list[str] = []
        for closing, name in tags:
            if closing:
                assert open_tags.pop() == name
            else:
                open_tags.append(name)
        assert open_tags == []
    assert [text for text, _ in linked(code, links)] == [code[a:b] for a, b, _ in links]
