"""Filters of other tools are refused with what to write; words of code are words."""

import re
from pathlib import Path

import pytest

from aeterna_code_search.contract.search import Mode
from central.query.errors import QueryError
from central.query.filters import Match
from central.query.foreign_filters import foreign_filter
from central.query.modes import parse_as
from central.query.parser import parse
from central.query.syntax import Filter

ROOT = Path(__file__).parents[3]
_CODE = ("examples", "aeterna_code_search", "indexer", "central", "action", "deploy", "docs/how-to")


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
        ("revision:main x", "Write rev:main"),
        ("branch:main x", "Write rev:main"),
        ("context:global retry", "repo:"),
        ("org:pallets url_for", r"repo:pallets/\*"),
        ("user:torvalds x", r"repo:torvalds/\*"),
        ("is:archived x", "-repo:NAME"),
        ("repogroup:all x", "repo:a OR repo:b"),
        ("timeout:30s x", "time limit"),
        ("visibility:private x", "leave visibility: out"),
        ("author:alice x", "Add type:commit"),
        ('before:"last week" x', "Add type:commit"),
        ("after:2024-01-01 x", "Add type:commit"),
        ("since:2024-01-01 x", "Write after:2024-01-01 with type:commit"),
        ("message:fix x", "Write type:commit and the text in quotes"),
        ("extension:py x", r"file:\*.py"),
        ("ext:py x", r"file:\*.py"),
        ("filename:setup.cfg x", "file:setup.cfg"),
        ("(org:pallets OR fork:yes) x", "repo:pallets"),
        ("license:mit x", "file:LICENSE"),
        ("license:apache-2.0 x", "leave license: out"),
        ("size:>1000 x", "leave size: out"),
        ("size:1000..2000 x", "leave size: out"),
        ("in:file x", "leave in: out"),
        ("in:file,path x", "leave in: out"),
        ("topic:database x", "Topics"),
        ("stars:>5 x", "leave stars: out"),
        ("public:yes x", "-repo:NAME"),
        (r"regex:foo.*bar", r"Write /foo\.\*bar/"),
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
        assert parse_as(query, Mode.LITERAL).content_terms


@pytest.mark.parametrize(
    ("query", "advice"),
    [("type:path", "Write type:file"), ("type:repo", "Write repo:")],
)
def test_a_type_of_another_tool_is_refused_with_what_to_write(query: str, advice: str) -> None:
    with pytest.raises(QueryError, match=advice):
        parse(query)


@pytest.mark.parametrize(
    ("query", "advice"),
    [
        (r"repo:^github\.com/pallets/flask$@main x",
         r"Write repo:/^pallets\/flask$/ rev:main."),
        (r"repo:^github\.com/pallets/flask$ x", r"Write repo:/^pallets\/flask$/, or"),
        ("repo:.*auth", "Write repo:/.*auth/, or repo:[.]*auth if it is a glob."),
        ("file:.*x", "Write file:/.*x/, or file:[.]*x if it is a glob."),
        ("f:src/.*test", r"Write file:/src\/.*test/"),
        ("file:(a|b)", 'Write file:/(a|b)/, or file:"(a|b)" if the text itself is meant.'),
        ("sym:get.*", "Write sym:/get.*/"),
        ("-repo:contains.path(go.mod) x", "Write type:file PATH"),
        ("repo:has.file(path:go.mod content:x) y", "Write type:file PATH"),
        ("repo:has.content(x) y", "Write the text in quotes"),
        ("file:contains.content(x) y", "Write the text in quotes"),
        ("repo:has.topic(x) y", "name repositories with repo:"),
    ],
)  # fmt: skip
def test_a_value_of_another_tool_is_refused_with_what_to_write(query: str, advice: str) -> None:
    with pytest.raises(QueryError) as refused:
        parse(query)
    assert advice.lower() in refused.value.message.lower()


@pytest.mark.parametrize(
    "query",
    ["file:*.test.*", "file:compose.*.yml", "file:.github", "file:[.]*rc", 'repo:"a@b"',
     "file:a@b.py", "file:**/.*", 'repo:"has.file(x)"', "repo:.github", "file:c++/x.cc"],
)  # fmt: skip
def test_globs_and_names_are_no_patterns_of_other_tools(query: str) -> None:
    (term,) = parse(query).terms
    assert isinstance(term, Filter)
    assert term.match is not Match.REGEX
    assert str(parse(str(parse(query)))) == str(parse(query))


@pytest.mark.parametrize(
    ("small", "capital"),
    [
        ('"foo" or "bar"', '"foo" OR "bar"'),
        ("repo:a or repo:b x", "repo:a OR repo:b x"),
        ("(lang:go or lang:rust) retry", "(lang:go OR lang:rust) retry"),
        ("/a+/ and -file:test", "/a+/ -file:test"),
        ('"a" or (file:b "c")', '"a" OR (file:b "c")'),
        ("retry not file:test", "retry -file:test"),
        ('"a" or -file:b', '"a" OR -file:b'),
    ],
)
def test_small_operators_beside_terms_are_those_of_other_tools(small: str, capital: str) -> None:
    assert parse(small) == parse(capital)


@pytest.mark.parametrize(
    "query",
    ["retry or backoff", 'lang:go or retry', '"a" or retry', "this and that lang:go", "or lang:go",
     'why not "x"', "lang:go or", r'"a" \or "b"', r"x \not file:y", '"a" or (retry often)'],
)  # fmt: skip
def test_small_words_of_a_question_are_words(query: str) -> None:
    words = parse(query).words.split()
    assert {"or", "and", "not"}.intersection(words)
    assert parse(str(parse(query))) == parse(query)


_CODE_WORDS = (
    "context:ctx user:password@host user:1000 user:root before:absolute is:0 after:content-[''] "
    "timeout:30 count:n message: rev::x org:apache.commons select:hover visibility:hidden "
    "branch:a:b filename:lineno org://x license:LICENSE.txt size:0 in:fileobj topic:A stars:5 "
    "regex:x"
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
