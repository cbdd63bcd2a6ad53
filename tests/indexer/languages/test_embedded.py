"""Masking keeps every byte of code at its place, in every host format."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.languages.base import Region, mask
from indexer.languages.registry import HOSTS
from tests.indexer.languages.hostile import check_regions

_NAMES = sorted(one.name for one in HOSTS)
_PIECES = [
    "<script>", '<script lang="ts">', "</script>", "<style>", "</style>", "<!--", "-->",
    "---\n",
    "{{", "}}", "{", "}", "{#each a as b}", ":a=", '@b="f()"', "v-for='a in b'", "onclick=",
    '"',
    "'", "`", "\\", "<%", "<%=", "-%>", "%>", "<%#", "```python\n", "```\n", "~~~", "\n",
    "\r\n", " ",
    "é", "😀", '{"cells": [', '{"cell_type": "code", "source": [', '"a\\n"', '"\\u00e9', ",",
    "]", "}",
    "f(x)", "//", "/*", "*/", "%%time", "!ls", "\t",
]  # fmt: skip


@pytest.mark.parametrize("name", _NAMES)
@given(pieces=st.lists(st.sampled_from(_PIECES), max_size=40))
def test_any_text_gives_regions_that_keep_length_and_line_feeds(
    name: str, pieces: list[str]
) -> None:
    check_regions(name, "".join(pieces).encode())


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize(
    "piece",
    [
        *("<script", "<script>", "<script></script>", "<script a='", "<!--", "</script", "---\n"),
        *("{", "{{", "}}", "{'", "{a as ", "{#each a as ", ":a='", ':a="', "@a = ", "on"),
        *(
            "<%",
            "<% %>",
            "<%=",
            '"\\',
            '{"cells":[',
            "```\n",
            "> ```\n",
            "````",
            "~~~a\n",
            " ",
            "`",
        ),
        *("{/*", "{//", "a ", "[", "\\u00", "<!-- <script> -->", "<script type=", "\n"),
    ],
)
def test_what_is_never_closed_is_read_in_linear_time(name: str, piece: str) -> None:
    """If a rule were not linear, this would take hours."""
    check_regions(name, (piece * (200_000 // len(piece))).encode())


def test_only_regions_are_left_of_a_masked_text() -> None:
    source = "é<\r\n>abc\nd".encode()
    assert mask(source, [Region(6, 9, "python")]) == b"    \n abc\n "


def test_a_region_may_have_a_text_of_its_own() -> None:
    assert mask(b"<f/>\n", [Region(0, 4, "python", b";f()")]) == b";f()\n"
