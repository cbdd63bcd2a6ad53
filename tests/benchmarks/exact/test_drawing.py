import re

import pytest

from benchmarks.exact.drawing import Drawing, lines_of
from benchmarks.exact.queries import Field, Filter, Kind, Query
from benchmarks.exact.sample import sample
from benchmarks.exact.structural import patterns
from central.query.filters import Match
from central.query.parser import parse
from central.query.syntax import Filter as Term
from central.query.syntax import Literal, Regex, leaves
from tests.benchmarks.exact.files import FILES


def test_the_sample_has_25_repositories_at_whole_commits_and_the_source_of_zoekt() -> None:
    assert len({one.name for one in sample()}) == len(sample()) >= 25
    assert all(re.fullmatch("[0-9a-f]{40}", one.commit) for one in sample())
    assert "zoekt" in {one.name for one in sample()}


def test_the_same_files_give_the_same_queries_lines_and_patterns() -> None:
    first, second = Drawing(FILES), Drawing(FILES)
    assert first.queries(50) == second.queries(50)
    assert first.lines(20) == second.lines(20)
    assert patterns(FILES, 12) == patterns(FILES, 12)
    assert Drawing(FILES, 20).queries(50) != Drawing(FILES).queries(50)


def test_every_kind_case_and_filter_is_drawn() -> None:
    queries = Drawing(FILES).queries(400)
    assert {one.kind for one in queries} == set(Kind)
    assert {one.case for one in queries} == {"yes", "no", "auto"}
    filters = [one for query in queries for one in query.filters]
    assert {one.field for one in filters} == set(Field)
    assert {one.negated for one in filters} == {True, False}


def test_the_text_of_a_query_matches_in_the_drawn_files() -> None:
    for query in Drawing(FILES).queries(400):
        pattern = query.text if query.is_regex else re.escape(query.text)
        if query.kind in {Kind.PREFIX, Kind.START, Kind.END, Kind.CLASSES, Kind.ALTERNATIVES}:
            assert re.compile(pattern)
        else:
            assert any(re.search(pattern, file.content) for file in FILES), query


def test_a_drawn_query_is_read_as_it_is_meant() -> None:
    for query in Drawing(FILES).queries(400):
        read = parse(query.for_service())
        (term,) = read.content_terms
        if query.is_regex:
            assert isinstance(term, Regex)
            assert term.pattern == query.text
        else:
            assert isinstance(term, Literal)
            assert term.text == query.text
        assert len(list(leaves(read.root))) == 1 + len(query.filters)


def test_lines_that_are_short_or_not_printable_are_no_queries() -> None:
    assert lines_of(FILES[0]) == ["def acquire(pool):", "return pool.take()"]
    assert lines_of(FILES[-1]) == []


def test_quotes_backslashes_and_slashes_are_written_for_both() -> None:
    literal = Query(Kind.LINE, r'say("a\n") / 2', "yes")
    assert literal.for_service() == r'case:yes "say(\"a\\n\") / 2"'
    assert literal.for_zoekt() == r'case:yes content:"say\\(\"a\\\\n\"\\)\\ /\\ 2"'
    regex = Query(Kind.CLASSES, r"a/b\W", "auto")
    assert regex.for_service() == r"case:auto /a\/b\W/"
    assert regex.for_zoekt() == r'case:auto content:"a/b\\W"'


@pytest.mark.parametrize(
    ("drawn", "service", "zoekt"),
    [
        (Filter(Field.SUFFIX, ".py"), "file:*.py", r'file:"\\.py$"'),
        (Filter(Field.DIRECTORY, "src/", negated=True), '-file:"src/"', '-file:"src/"'),
        (Filter(Field.LANGUAGE, "csharp"), "lang:csharp", 'lang:"C#"'),
        (Filter(Field.PROJECT, "a.b"), r"repo:/^a\.b$/", r'repo:"^a\\.b$"'),
    ],
)
def test_filters_are_written_for_both(drawn: Filter, service: str, zoekt: str) -> None:
    query = Query(Kind.IDENTIFIER, "word", "no", (drawn,))
    assert query.for_service() == f'case:no {service} "word"'
    assert query.for_zoekt() == f'case:no {zoekt} content:"word"'


def test_a_directory_is_no_glob() -> None:
    query = Query(Kind.IDENTIFIER, "word", "no", (Filter(Field.DIRECTORY, "[id]/"),))
    terms = leaves(parse(query.for_service()).root)
    assert [one.match for one in terms if isinstance(one, Term)] == [Match.SUBSTRING]


def test_structural_patterns_are_of_calls_in_their_language() -> None:
    drawn = patterns(FILES, 12)
    assert {one.split()[0] for one in drawn} == {"lang:python", "lang:go"}
    assert {"lang:go listen($$$)", "lang:python take($ONE)"} & set(drawn)
