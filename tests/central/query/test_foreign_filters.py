"""Filters of other tools are refused with what to write; words of code are words."""

import re
from pathlib import Path

import pytest

from central.query.errors import QueryError
from central.query.foreign_filters import foreign_filter
from central.query.modes import TextMode, parse_as
from central.query.parser import parse

ROOT = Path(__file__).parents[3]
_CODE = ("examples", "agents", "cli", "indexer", "central", "action", "deploy", "docs/how-to")


@pytest.mark.parametrize(
    ("query", "advice"),
    [
        ("count:all retry", "stream"),
        ("retry count:1000", "limit"),
        ("select:repo retry", "receipt"),
        (r"patterntype:regexp func\s+New", "regular expression"),
        ("patternType:literal x", "quotes"),
        ("fork:yes x", "-repo:NAME"),
        ("-archived:no x", "-repo:NAME"),
        ("rev:main x", "leave rev: out"),
        ("branch:main x", "leave branch: out"),
        ("context:global retry", "repo:"),
        ("org:pallets url_for", r"repo:pallets/\*"),
        ("user:torvalds x", r"repo:torvalds/\*"),
        ("is:archived x", "-repo:NAME"),
        ("repogroup:all x", "repo:a OR repo:b"),
        ("timeout:30s x", "time limit"),
        ("visibility:private x", "leave visibility: out"),
        ("author:alice x", "not commits"),
        ('before:"last week" x', "not commits"),
        ("after:2024-01-01 x", "not commits"),
        ("message:fix x", "not commits"),
        ("extension:py x", r"file:\*.py"),
        ("ext:py x", r"file:\*.py"),
        ("filename:setup.cfg x", "file:setup.cfg"),
        ("(org:pallets OR fork:yes) x", "repo:pallets"),
    ],
)
def test_a_filter_of_another_tool_is_refused_with_what_to_write(query: str, advice: str) -> None:
    with pytest.raises(QueryError, match=advice):
        parse(query)
    name = re.search(r"([a-zA-Z]+):", query)
    assert name
    escaped = query.replace(f"{name[1]}:", f"{name[1]}\\:", 1)
    if query.count(":") == 1:
        assert f"{name[1]}:" in str(parse(escaped).root).replace("\\", "")
        assert parse_as(query, TextMode.LITERAL).content_terms


@pytest.mark.parametrize(
    ("query", "advice"),
    [("type:path", "Write type:file"), ("type:repo", "Write repo:"), ("type:diff", "not commits")],
)
def test_a_type_of_another_tool_is_refused_with_what_to_write(query: str, advice: str) -> None:
    with pytest.raises(QueryError, match=advice):
        parse(query)


_CODE_WORDS = (
    "context:ctx user:password@host user:1000 user:root before:absolute is:0 after:content-[''] "
    "timeout:30 count:n message: rev::x org:apache.commons select:hover visibility:hidden "
    "branch:a:b filename:lineno org://x"
)


@pytest.mark.parametrize("query", _CODE_WORDS.split())
def test_words_of_code_are_no_filters(query: str) -> None:
    assert parse(query).words == query


def test_lines_of_code_have_no_filter_of_another_tool() -> None:
    files = [
        file
        for folder in _CODE
        for file in sorted((ROOT / folder).rglob("*"))
        if file.suffix in {".go", ".html", ".js", ".md", ".py", ".scm", ".ts", ".yaml", ".yml"}
        and "query" not in file.parts
    ]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    for line in lines[::5]:
        for word in re.finditer(r"\S+", line):
            assert foreign_filter(line, word.start()) is None, line
