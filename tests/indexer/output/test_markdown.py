"""Texts of anybody in Markdown, read by a Markdown parser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from indexer.output.markdown import code, link, table, text

DIVIDER = "\u200b"  # has no width
PARSER = MarkdownIt("commonmark").enable("table")


def types(markdown: str) -> list[str]:
    """The types of all tokens, those inside of paragraphs and cells too."""
    return [
        inner.type
        for token in PARSER.parse(markdown)
        for inner in (token.children or [] if token.type == "inline" else [token])
    ]


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_a_text_is_text_and_nothing_else_wherever_it_stands(value: str) -> None:
    shown = text(value)
    assert set(types(f"x {shown} x")) <= {"paragraph_open", "text", "paragraph_close"}
    assert set(types(f"### x {shown}")) <= {"heading_open", "text", "heading_close"}
    cells = [kind for kind in types(table(("A", "B"), [(shown, shown)])) if kind == "td_open"]
    assert len(cells) == 2


@pytest.mark.parametrize(
    "value",
    [
        "<img src=x onerror=alert(1)>",
        "[click](javascript:alert(1))",
        "a | b\n| --- |\n# c",
        "``` \n ~~~ `x` **y** _z_ ~~w~~",
        "- item",
        "1. item",
        "&lt;b&gt;",
    ],
)
def test_what_is_written_is_what_is_shown(value: str) -> None:
    [_, inline, _] = PARSER.parse(text(value))
    shown = "".join(token.content for token in inline.children or [])
    assert shown.replace(DIVIDER, "") == " ".join(value.split())


def test_no_address_is_left_for_a_reader_that_makes_links_of_them() -> None:
    shown = text("see https://evil.example, www.evil.example and @somebody or a@evil.example")
    assert not any(part in shown for part in ("://", "www.", "@"))


@pytest.mark.parametrize("value", ["@acme", "acme/web#12", "#1", "gh-7", "a@b.example"])
def test_nothing_is_mentioned_by_the_text_that_is_shown(value: str) -> None:
    [_, inline, _] = PARSER.parse(text(f"see {value}"))
    shown = "".join(token.content for token in inline.children or [])
    assert value not in shown
    assert shown.replace(DIVIDER, "") == f"see {value}"


def test_code_is_copied_as_it_is() -> None:
    assert code("@acme#1") == "<code>&#64;acme&#35;1</code>"


def test_what_cannot_be_seen_is_shown() -> None:
    assert text("a\u202etxt.exe\x1b[2J\udcff") == "a�txt&#46;exe�&#91;2J�"


def test_a_very_long_text_is_cut() -> None:
    assert len(text("x" * 100_000)) < 5_000


def test_code_is_marked_as_such() -> None:
    assert code("src/a_b.py") == "<code>src/a&#95;b&#46;py</code>"


@pytest.mark.parametrize(
    "address",
    [None, "", "javascript:alert(1)", "https://a.example/) [x](y", "https://a.example/<b>"],
)
def test_what_is_no_address_is_no_link(address: str | None) -> None:
    assert link("here", address) == "here"


def test_an_address_is_a_link() -> None:
    assert link("here", "https://a.example/b?c=d") == "[here](https://a.example/b?c=d)"
