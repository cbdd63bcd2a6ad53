"""Code in colours: its text is what it was, all of it escaped, with words marked."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from central.web.colouring import COLOURED_CHARACTERS
from central.web.highlighting import listing, occurrences
from indexer.output.terminal import show_hidden

CODE = st.lists(
    st.sampled_from(
        ["def f(x):", " ", "\n", "\r\n", "\t", '"', "'", '"""', "<b>", "&amp;", "# token", "{", "}",
         "token", "getToken", "/*", "*/", "<script>", "é", "\u2028", "\u202e", "\U000e0041", "\\",
         "`", "$", "1", "<?php "]
    ) | st.text(max_size=5)
).map("".join)  # fmt: skip


def highlighted_lines(code: str, *, language: str, words: list[str] | None = None) -> list[str]:
    return listing(code, language=language, words=words or ()).lines


LANGUAGES = st.sampled_from(["python", "typescript", "php", "html", "markdown", "text", "nothing"])
_TAG = re.compile(
    r'</?mark>|<span class="(?:[cksld]|hidden-character" title="[A-Z0-9 -]+)">|</span>'
)


def text_of(html: str) -> str:
    return unescape(_TAG.sub("", html))


@given(code=CODE, language=LANGUAGES, words=st.lists(st.sampled_from(["token", "f(", "<b>", '"'])))
def test_the_text_is_unchanged_and_no_tag_is_the_code_s(
    code: str, language: str, words: list[str]
) -> None:
    lines = highlighted_lines(code, language=language, words=words)
    assert "\n".join(map(text_of, lines)) == show_hidden(code.removesuffix("\n"))
    for line in lines:
        bare = _TAG.sub("", line)
        assert not set(bare) & set("<>\"'")
        assert line.count("<span") == line.count("</span>")
        assert line.count("<mark>") == line.count("</mark>")


@given(code=CODE, language=LANGUAGES)
def test_every_occurrence_is_marked_whatever_tokens_it_is_of(code: str, language: str) -> None:
    html = "\n".join(highlighted_lines(code, language=language, words=["token", "x)"]))
    marked = "".join(map(text_of, re.findall(r"<mark>(.*?)</mark>", html, re.DOTALL)))
    found = [code[start:end] for start, end in occurrences(code, ["token", "x)"])]
    assert marked == show_hidden("".join(found))


@pytest.mark.parametrize(
    ("code", "word", "found"),
    [
        ("validate_token(token)", "token", ["token", "token"]),
        ("readToken and TOKEN", "token", ["Token", "TOKEN"]),
        ("brokentoken", "token", []),
        ("tokens", "token", ["token"]),
        ("a.b(c)", "a.b", ["a.b"]),
    ],
)
def test_a_word_is_found_where_a_part_of_a_name_begins(
    code: str, word: str, found: list[str]
) -> None:
    assert [code[start:end] for start, end in occurrences(code, [word])] == found


def test_a_mark_goes_across_the_tokens_of_code() -> None:
    [line] = highlighted_lines("x = user.name", language="python", words=["user.name"])
    assert text_of(line) == "x = user.name"
    assert "<mark>user.name</mark>" in line


def test_tokens_have_the_classes_of_the_style() -> None:
    [comment, code] = highlighted_lines("# why\nif x: return 'a', 1", language="python")
    assert comment == '<span class="c"># why</span>'
    assert code == (
        '<span class="k">if</span> x: <span class="k">return</span> '
        '<span class="s">&#x27;a&#x27;</span>, <span class="l">1</span>'
    )


def test_a_language_that_nobody_knows_has_no_colours() -> None:
    assert highlighted_lines("if <x>:", language="klingon") == ["if &lt;x&gt;:"]


def test_a_snippet_that_is_shown_again_is_cut_from_what_is_kept_with_its_own_marks() -> None:
    code = "def kept(token):\n    return 'token' + other\n"
    first = highlighted_lines(code, language="python", words=["token"])
    assert highlighted_lines(code, language="python", words=["token"]) == first
    assert highlighted_lines(code, language="text", words=["token"]) != first
    other = highlighted_lines(code, language="python", words=["other"])
    assert [line.count("<mark>") for line in first] == [1, 1]
    assert other[1].endswith(" <mark>other</mark>")
    assert list(map(text_of, other)) == code.splitlines()


def test_piece_of_a_docstring_is_coloured_as_a_string() -> None:
    before = 'def f():\n    """Say what if and for mean.\n\n'
    code = '    if this class is imported\n    """\n    return 1\n'
    lines = listing(code, language="python", before=before).lines
    assert lines[0] == '<span class="s">    if this class is imported</span>'
    assert "return" in lines[2]
    assert 'class="k"' in lines[2]
    assert 'class="k"' in listing(code, language="python").lines[0]


def test_text_before_that_is_too_long_is_not_looked_at() -> None:
    code = "if x:\n    pass\n"
    before = '"""' + "x" * COLOURED_CHARACTERS
    assert listing(code, language="python", before=before) == listing(code, language="python")


@given(before=CODE, code=CODE, language=LANGUAGES)
def test_text_before_does_not_change_what_is_shown(before: str, code: str, language: str) -> None:
    with_before = listing(code, language=language, before=before).lines
    assert [text_of(line) for line in with_before] == [
        text_of(line) for line in listing(code, language=language).lines
    ]
