"""Exact searches over real rows: literals, regular expressions, structural patterns, filters."""

import json
import re
from collections.abc import Generator, Iterable
from dataclasses import replace

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from central.corpus.models import Chunk, File, Symbol, TrigramPosting
from central.errors import InvalidError
from central.http.parameters import to_json
from central.query.errors import QueryError
from central.repositories.models import Repository
from central.search import line_search
from central.search.answers import Answer, Result, StreamEnd, Total
from central.search.exact import files, hits, page, regions
from central.search.line_search import every_match
from central.search.query import Mode, SearchRequest
from central.search.scope import encode_cursor
from central.search.service import search
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
from indexer.limits import EXACT_RESULT_BYTES, QUERY_PATTERN_CHARACTERS
from tests.central.search.conftest import AUTH, PAYMENTS, Search
from tests.central.search.corpus import credential_for, index_repository, organization_of


def places(answer: Answer) -> list[tuple[str, int]]:
    """(file, line) of every matched line, in the order of the answer."""
    return [(result.file, line.line) for result in answer.results for line in result.lines]


def scanned(pattern: str, *, flags: int = 0) -> set[tuple[str, int]]:
    """What a scan of every line finds."""
    return {
        (path, number)
        for files in (AUTH, PAYMENTS)
        for path, content in files.items()
        for number, line in enumerate(content.split("\n"), 1)
        if re.search(pattern, line, flags)
    }


# --- What is found ------------------------------------------------------------------------------


def test_quoted_text_is_found_as_it_stands_with_its_lines(find: Search) -> None:
    answer = find('"jwt.decode(token"')
    (result,) = answer.results
    assert (result.project, result.file, result.start_line) == (
        "auth-service",
        "src/auth/tokens.py",
        9,
    )
    (line,) = result.lines
    assert line.text == '        return jwt.decode(token, KEY, algorithms=["RS256"])'
    assert [line.text[start:end] for start, end in line.ranges] == ["jwt.decode(token"]
    assert result.matched == ["jwt.decode(token"]
    assert answer.total
    assert (answer.total.matches, answer.total.files, answer.total.at_least) == (1, 1, False)
    assert answer.receipt.complete


@pytest.mark.parametrize("text", ["token", "validate_token(", "Verify signature", '", "', "def "])
def test_a_literal_search_finds_what_a_scan_finds(find: Search, text: str) -> None:
    answer = find(text, mode=Mode.LITERAL, limit=50)
    flags = re.IGNORECASE if text == text.lower() else 0
    assert set(places(answer)) == scanned(re.escape(text.strip()), flags=flags)


@pytest.mark.parametrize(
    "pattern", [r"def \w+_token", r"^import", r"\bclaims\b.*=", r"[A-Z]\w+Error"]
)
def test_a_regular_expression_finds_what_a_scan_finds(find: Search, pattern: str) -> None:
    flags = re.IGNORECASE if pattern == pattern.lower() else 0
    written = find(f"/{pattern}/", limit=50)
    assert set(places(written)) == scanned(pattern, flags=flags)
    assert places(find(pattern, mode=Mode.REGEX, limit=50)) == places(written)


def test_a_structural_pattern_matches_syntax(find: Search) -> None:
    answer = find("lang:python jwt.encode($$$)", mode=Mode.STRUCTURAL)
    assert places(answer) == [("src/auth/tokens.py", 17)]


def test_the_field_is_enough_as_the_language_of_a_structural_pattern(find: Search) -> None:
    answer = find("jwt.encode($$$)", mode=Mode.STRUCTURAL, language="py")
    assert places(answer) == [("src/auth/tokens.py", 17)]
    assert not find("lang:go jwt.encode($$$)", mode=Mode.STRUCTURAL, language="python").count


def test_structural_patterns_know_elixir_and_lua(acme: Organization, find: Search) -> None:
    files = {
        "a.ex": "defmodule A do\n  def f(xs), do: Enum.map(xs, g)\nend\n",
        "b.lua": 'local m = {}\nlocal j = require("json")\nreturn m\n',
    }
    index_repository(acme, "more", files)
    assert places(find("lang:elixir Enum.map($$$)", mode=Mode.STRUCTURAL)) == [("a.ex", 2)]
    assert places(find("lang:lua require($X)", mode=Mode.STRUCTURAL)) == [("b.lua", 2)]
    with pytest.raises(InvalidError, match="no grammar of sql: add lang: with one of bash"):
        find("lang:sql select $X", mode=Mode.STRUCTURAL)


def test_upper_and_lower_case_differ_if_the_query_has_an_upper_case_letter(find: Search) -> None:
    assert find('"authmiddleware"').count
    assert not find('"AUTHMIDDLEWARE"').count
    assert find('"AUTHMIDDLEWARE" case:no').count
    assert not find('"authmiddleware" case:yes').count


def test_terms_filters_and_alternatives_are_combined(find: Search) -> None:
    both = find('"jwt" "expiry"')
    assert {result.file for result in both.results} == {"src/auth/tokens.py"}
    either = find('"jwt.decode" OR "SELECT name"')
    assert {result.file for result in either.results} == {"src/auth/tokens.py", "src/authors.py"}
    without = find('"token" -file:test -"jwt"', limit=50)
    assert all("test" not in result.file for result in without.results)
    assert "src/auth/tokens.py" not in {result.file for result in without.results}


def test_filters_alone_list_files(find: Search) -> None:
    answer = find("repo:auth file:/tokens\\.py$/")
    assert [result.file for result in answer.results] == [
        "src/auth/tokens.py",
        "tests/test_tokens.py",
    ]
    assert [result.lines for result in answer.results] == [[], []]
    assert [result.file for result in find("type:file authors").results] == ["src/authors.py"]


def test_a_symbol_filter_shows_where_it_is_defined(find: Search) -> None:
    answer = find("sym:issue_token")
    assert places(answer) == [("src/auth/tokens.py", 14)]
    assert answer.results[0].lines[0].defines


def test_fields_of_the_request_are_filters_too(find: Search) -> None:
    assert find('"token"', path="tests/").results[0].file == "tests/test_tokens.py"
    assert find('"token"', include_projects=("payments-api",)).receipt.projects[0].project == (
        "payments-api"
    )
    assert find('"token"', exclude="auth").count == find('"token" -file:auth').count


# --- Types --------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ['"token"', "/tok\\w+/", "sym:token"])
@pytest.mark.parametrize("kind", ["function", "method", "module", "comment"])
def test_a_type_restricts_lines_to_chunks_of_that_type(
    acme: Organization, find: Search, query: str, kind: str
) -> None:
    chunks = Chunk.objects.filter(repository__organization=acme, type=kind)
    within = {
        (path, line)
        for path, first, last in chunks.values_list("file__path", "start_line", "end_line")
        for line in range(first, last + 1)
    }
    expected = within.intersection(places(find(query, limit=50)))
    answer = find(f"type:{kind} {query}", limit=50)
    assert set(places(answer)) == expected
    assert all(result.lines for result in answer.results)
    assert places(find(query, limit=50, chunk_type=kind)) == places(answer)


def test_a_structural_pattern_is_restricted_to_a_type(find: Search) -> None:
    calls = "lang:python $A.$B($$$)"
    found = find(f"type:method {calls}", mode=Mode.STRUCTURAL)
    assert {result.file for result in found.results} == {"src/auth/middleware.py"}
    assert find(calls, mode=Mode.STRUCTURAL).count > 1


def test_a_type_alone_lists_the_files_that_have_it(find: Search) -> None:
    found = find("type:method repo:auth")
    assert [result.file for result in found.results] == ["src/auth/middleware.py"]


def test_the_type_symbol_lists_the_lines_on_which_definitions_begin(find: Search) -> None:
    assert set(places(find('type:symbol "token"', limit=50))) == {
        ("src/auth/tokens.py", 6),
        ("src/auth/tokens.py", 14),
        ("tests/test_tokens.py", 4),
        ("src/token.ts", 2),
    }
    assert places(find("type:symbol file:src/auth/tokens.py")) == [
        ("src/auth/tokens.py", 6),
        ("src/auth/tokens.py", 14),
    ]
    assert places(find("type:symbol sym:issue_token")) == places(find("sym:issue_token"))


def test_a_type_is_a_whole_query(acme: Organization, find: Search) -> None:
    assert {one.file for one in find("type:method").results} == {
        "src/auth/middleware.py",
        "internal/ledger/ledger.go",
    }
    listed = find("type:symbol", limit=50)
    assert listed.total
    assert listed.total.matches == Symbol.objects.filter(repository__organization=acme).count()


def test_many_matches_outside_of_a_type_hide_none_inside(acme: Organization, find: Search) -> None:
    text = "needle = 1\n" * 1_500 + "\n\ndef last():\n    needle = 2\n"
    index_repository(acme, "large", {"large.py": text})
    answer = find('type:function "needle"')
    assert places(answer) == [("large.py", 1_504)]
    assert answer.total
    assert not answer.total.at_least


# --- Words beside literals ----------------------------------------------------------------------


def test_words_rank_the_files_that_hold_the_literal(find: Search) -> None:
    answer = find('"jwt.encode" sign for a lifetime')
    assert answer.results[0].name == "issue_token"
    assert {result.file for result in answer.results} == {"src/auth/tokens.py"}
    assert answer.total is None


def test_an_answer_that_no_file_can_give_says_that_the_filters_exclude_it(find: Search) -> None:
    answer = find('"nosuchthing_zzz" verify a token')
    assert answer.count == 0
    assert "quoted texts" in (answer.hint or "")


def test_filters_beside_words_restrict_the_ranking(find: Search) -> None:
    assert {one.project for one in find("repo:payments token").results} <= {"payments-api"}
    assert {one.file for one in find("file:tokens.py verify").results} <= {
        "src/auth/tokens.py",
        "tests/test_tokens.py",
    }
    assert {one.language for one in find("lang:py verify").results} == {"python"}


def test_a_type_beside_words_is_a_kind_of_chunk(find: Search) -> None:
    assert {one.chunk_type for one in find("type:method refuse a request").results} == {"method"}
    assert find("type:symbol validate").results[0].name == "validate_token"


# --- Order, pages and counts --------------------------------------------------------------------


def test_a_definition_comes_first_then_source_before_tests(find: Search) -> None:
    files = [result.file for result in find('"validate_token"').results]
    assert files[0] == "src/auth/tokens.py"
    assert files.index("src/auth/middleware.py") < files.index("tests/test_tokens.py")
    scores = [result.score for result in find('"validate_token"').results]
    assert scores == sorted(scores, reverse=True)


def test_the_line_of_the_definition_is_the_first_of_its_file(find: Search) -> None:
    result = find('"token" "issue_token"').results[0]
    assert result.lines[0].defines
    assert result.content.startswith("def issue_token")
    assert result.start_line == result.lines[0].line


@pytest.fixture
def sessions(acme: Organization) -> None:
    """Files in which the definition of a name comes last, and the file that has it last, too."""
    uses = "from z import NewSession, SqlSession\n\nfirst = NewSession()\nprint(SqlSession())\n"
    files = {
        "a.py": uses,
        "m.py": "class SqlSessionFactory:\n    pass\n\n\nclass RedisSession:\n    x = 1\n",
        "z.py": "# class NewSession is below\n\n\nclass NewSession:\n    y = 1\n",
    }
    index_repository(acme, "sessions", files)


@pytest.mark.usefixtures("sessions")
@pytest.mark.parametrize(
    ("query", "files", "line"),
    [
        ("/class NewSession/", ["z.py"], 4),
        ("/NewSession/", ["z.py", "a.py"], 4),
        (r"/class \w+Session\b/", ["m.py", "z.py"], 5),
        (r"/(New|Redis)Session/", ["m.py", "z.py", "a.py"], 5),
        ("/(?i)class newsession/", ["z.py"], 4),
        ("sym:NewSession", ["z.py"], 4),
        ("sym:SqlSession", ["m.py"], 1),
        ('sym:NewSession "class"', ["z.py"], 4),
        ('sym:SqlSession OR "print"', ["m.py", "a.py"], 1),
        ("sym:Session", ["m.py", "z.py"], 1),
    ],
)
def test_definitions_of_names_in_patterns_and_of_symbols_come_first(
    find: Search, query: str, files: list[str], line: int
) -> None:
    answer = find(f"repo:sessions {query}")
    assert [result.file for result in answer.results] == files
    first = answer.results[0].lines[0]
    assert (first.line, first.defines) == (line, True)
    scores = [result.score for result in answer.results]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.usefixtures("sessions")
def test_a_symbol_by_its_whole_name_comes_before_names_that_contain_it(
    acme: Organization, find: Search
) -> None:
    index_repository(acme, "more", {"q.py": "class Session:\n    pass\n"})
    answer = find("sym:Session")
    assert [result.file for result in answer.results] == ["q.py", "m.py", "z.py"]
    assert [
        line.text[start:end] for line in answer.results[0].lines for start, end in line.ranges
    ] == ["Session"]


@pytest.mark.parametrize("query", ["sym:Engine", "sym:engine", '"Engine"'])
def test_a_type_comes_before_methods_of_its_name(
    acme: Organization, find: Search, query: str
) -> None:
    files = {
        "a.go": "package a\n\ntype Host interface {\n\tEngine() int\n}\n",
        "b.go": "package a\n\nfunc (h *Host) Engine() int { return 1 }\n\nfunc EngineOf() {}\n",
        "c.go": "package a\n\nconst PlatformEngine = 1 // Engine\n",
        "z.go": "package a\n\ntype Engine struct {\n\tName string\n}\n",
    }
    index_repository(acme, "engines", files)
    answer = find(f"repo:engines {query}")
    assert [result.file for result in answer.results] == ["z.go", "a.go", "b.go", "c.go"]
    scores = [result.score for result in answer.results]
    assert scores == sorted(scores, reverse=True)
    assert find("repo:engines sym:EngineOf").results[0].score == 1.0


def test_pages_together_are_the_whole_answer_with_the_same_counts(find: Search) -> None:
    whole = find('"token"', limit=50)
    cursor, pages = "", []
    while True:
        page = find('"token"', limit=1, cursor=cursor)
        pages += page.results
        assert page.total == whole.total
        if not page.next_cursor:
            break
        cursor = page.next_cursor
    assert pages == whole.results


def test_content_is_the_first_block_with_as_many_lines_around_as_asked(find: Search) -> None:
    bare = find('"jwt.encode"').results[0]
    assert bare.content.strip().startswith("return jwt.encode")
    around = find('"jwt.encode"', expand=2).results[0]
    assert (around.content_start_line, around.content.count("\n")) == (15, 2)


def all_pages(find: Search, query: str, **options: object) -> list[Answer]:
    """Every page of one result each, by the cursors."""
    pages = [find(query, limit=1, **options)]
    while cursor := pages[-1].next_cursor:
        pages.append(find(query, limit=1, cursor=cursor, **options))
    return pages


@pytest.mark.parametrize("query", ["repo:auth", "file:*.py", "lang:py -file:test", "sym:token"])
def test_counts_are_exact_where_names_alone_decide(
    find: Search, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    whole = find(query, limit=50)
    monkeypatch.setattr(page, "EXACT_COUNT_SECONDS", -1.0)
    for answer in all_pages(find, query):
        assert answer.total == whole.total
        assert answer.total
        assert answer.total.files == len(whole.results)
        assert answer.total.matches == sum(one.matches or 0 for one in whole.results)
        assert not answer.total.at_least


def test_a_count_by_names_of_too_many_files_is_a_lower_bound(
    find: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_search, "EXACT_FILES", 1)
    assert (total := find("file:*.py").total)
    assert not total.at_least
    monkeypatch.setattr(hits, "EXACT_NAMES", 2)
    answer = find("file:*")
    assert answer.total == Total(0, 2, at_least=True)
    assert {one.reason for one in answer.receipt.missing} == {"too_many_files"}


@pytest.mark.parametrize("first", [-1.0, float("inf")])
def test_a_total_never_falls_from_page_to_page(
    find: Search, monkeypatch: pytest.MonkeyPatch, first: float
) -> None:
    whole = find('"token"', limit=50).total
    assert whole
    monkeypatch.setattr(page, "EXACT_COUNT_SECONDS", first)
    answers = [find('"token"', limit=1)]
    monkeypatch.setattr(page, "EXACT_COUNT_SECONDS", -1.0)
    while cursor := answers[-1].next_cursor:
        answers.append(find('"token"', limit=1, cursor=cursor))
    totals = [one.total for one in answers if one.total]
    assert [one.matches for one in totals] == sorted(one.matches for one in totals)
    assert [one.files for one in totals] == sorted(one.files for one in totals)
    assert totals[-1] == whole
    if first > 0:
        assert totals == [whole] * len(answers)
    else:
        assert totals[0].at_least


def test_a_file_with_more_matches_than_are_counted_makes_every_page_a_lower_bound(
    acme: Organization, find: Search
) -> None:
    index_repository(acme, "many", {"a.txt": "needle\n" * 1_001, "b.txt": "needle\n"})
    totals = [one.total for one in all_pages(find, '"needle"')]
    assert totals == [Total(1_001, 2, at_least=True)] * 2


def test_a_cursor_of_the_version_before_is_read(credential: Credential, find: Search) -> None:
    request = SearchRequest(('"token"',), limit=1)
    cursor = encode_cursor(request=request, organization="acme", position=[1, 7, 1])
    answer = find('"token"', limit=50, cursor=cursor)
    assert answer.results == find('"token"', limit=50).results[1:]


def numbered(result: Result) -> str:
    """Lines and context as `grep -n -C` prints them."""
    marked = {line.line: f"{line.line}:{line.text}" for line in result.lines}
    around = {line.line: f"{line.line}-{line.text}" for line in result.context}
    assert not marked.keys() & around.keys()
    assert [line.line for line in result.context] == sorted(around)
    return "\n".join(text for _, text in sorted((marked | around).items()))


@pytest.mark.parametrize("expand", [1, 2, 30])
@pytest.mark.parametrize("query", ['"token"', "/def|class/", "sym:token", 'type:function "token"'])
def test_context_is_each_line_around_every_match_once(
    find: Search, query: str, expand: int
) -> None:
    files = AUTH | PAYMENTS
    for result in find(query, expand=expand, limit=50, max_content=20_000).results:
        content = files[result.file].splitlines()
        listed = {line.line for line in result.lines}
        assert numbered(result) == "\n".join(
            f"{number}{':' if number in listed else '-'}{text}"
            for number, text in enumerate(content, 1)
            if any(abs(number - line) <= expand for line in listed)
        )


def test_context_is_cut_at_max_content_from_the_last_line_on(
    acme: Organization, find: Search
) -> None:
    text = "a\n" + "x" * 700 + "\nneedle\n" + "é" * 60 + "\nneedle\nlast\n"
    index_repository(acme, "long", {"long.txt": text})
    (whole,) = find('repo:long "needle"', expand=1, max_content=20_000).results
    assert [(line.line, len(line.text), line.truncated) for line in whole.context] == [
        (2, 500, True),
        (4, 60, False),
        (6, 4, False),
    ]
    assert not whole.truncated
    (cut,) = find('repo:long "needle"', expand=1, max_content=562).results
    assert [line.line for line in cut.context] == [2, 4]
    assert cut.truncated
    assert find('repo:long "needle"').results[0].context == []


def test_blank_lines_around_matches_count_as_well(acme: Organization, find: Search) -> None:
    index_repository(acme, "blank", {"blank.txt": "needle\n" + "\n" * 50})
    (result,) = find('repo:blank "needle"', expand=100, max_content=7).results
    assert [line.line for line in result.context] == [2, 3, 4, 5, 6, 7, 8]
    assert result.truncated


def test_a_search_that_runs_out_of_time_says_so_and_can_go_on(
    find: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_search, "EXACT_SECONDS", -1.0)
    answer = find('"token"')
    assert answer.count == 0
    assert answer.total
    assert answer.total.at_least
    assert {one.reason for one in answer.receipt.missing} == {"timeout"}
    assert "repo:" in (answer.hint or "")
    monkeypatch.setattr(line_search, "EXACT_SECONDS", 10.0)
    assert answer.next_cursor
    assert find('"token"', cursor=answer.next_cursor).count > 1


@pytest.mark.parametrize("query", ["file:*.py", 'type:function file:*.py "token"'])
def test_filters_that_take_too_long_end_the_search(
    find: Search, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    monkeypatch.setattr(line_search, "EXACT_SECONDS", -1.0)
    answer = find(query)
    assert answer.count == 0
    assert answer.total
    assert answer.total.at_least
    assert {one.reason for one in answer.receipt.missing} == {"timeout"}
    assert answer.next_cursor is None


def test_a_repository_whose_text_index_is_not_complete_is_named(
    acme: Organization, find: Search
) -> None:
    Repository.objects.filter(organization=acme, name="payments-api").update(text_generation=0)
    answer = find('"token"')
    assert [(one.project, one.reason) for one in answer.receipt.missing] == [
        ("payments-api", "text_index_incomplete")
    ]
    assert answer.total
    assert answer.total.at_least


# --- Hostile texts ------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["lower case ", "UPPER case ", "x(y)*", "é.\u017fK"])
def test_a_literal_may_be_as_long_as_a_query(acme: Organization, find: Search, text: str) -> None:
    line = (text * 4_000)[:3_900] + "."
    index_repository(acme, "long", {"long.txt": f"first\n{line}\n"})
    answer = find(line, mode=Mode.LITERAL)
    assert [(one.file, one.matches) for one in answer.results] == [("long.txt", 1)]
    assert find(f'case:no "{line[:3_000]}"').count


def test_a_regular_expression_may_be_as_long_as_its_limit(find: Search) -> None:
    pattern = f"validate_token|{'z' * (QUERY_PATTERN_CHARACTERS - 15)}"
    assert find(pattern, mode=Mode.REGEX).count
    with pytest.raises(QueryError, match="longer than 1,000"):
        find(f"{pattern}z", mode=Mode.REGEX)


@pytest.mark.parametrize("query", ['"{}"', "/a{}+b/", "sym:a{}", "repo:a{} x", "file:{}", "a {}"])
@pytest.mark.parametrize("mode", list(Mode))
def test_what_no_file_has_is_refused(find: Search, query: str, mode: Mode) -> None:
    for character in ("\0", "\ud800", "\udfff"):
        text = query.format(character)
        with pytest.raises(QueryError, match=f"Column {text.index(character) + 1}: U"):
            find(text, mode=mode)


@pytest.mark.parametrize(
    "query",
    [
        "/({})/".format("|".join(f"nam{at:03}\\w+" for at in range(90))),
        " OR ".join(f"/a{at:02}bc\\w*/" for at in range(99)),
        "/\u017fession\\w+|Kelvin\\w*|日本語\\w+|é'\\w+|\\Q'\\E\\w+|(?P<n>abc)\\w+/",
        'sym:日本語 "\u017f" "e\u0301" file:/\u202e/',
        r'sym:"%_\\" sym:/.*/ -sym:*',
        '-(-(-("token" OR -sym:x)))',
        "/(?s)(.|\n)*/ type:function",
        "/x*|^|$/ type:symbol",
    ],
)
def test_odd_queries_are_answered(find: Search, query: str) -> None:
    answer = find(query, expand=100, limit=50)
    assert answer.receipt.complete
    assert answer.results or answer.hint


def rows_of(credential: Credential, query: str) -> Generator[Result | StreamEnd]:
    rows = every_match(credential=credential, request=SearchRequest((query,)))
    return (row for row in rows if row is not None)


def missing_of(rows: Iterable[Result | StreamEnd]) -> list[tuple[str, str]]:
    *_, end = rows
    assert isinstance(end, StreamEnd)
    receipt = end.receipt
    assert receipt.complete == (not receipt.missing)
    return [(one.project, one.reason) for one in receipt.missing]


def test_a_segment_that_cannot_be_read_makes_the_answer_incomplete(
    acme: Organization, find: Search
) -> None:
    payments = Repository.objects.get(organization=acme, name="payments-api")
    for row in (b"", b"\xff\xff\xff\x7f", b"\x01\x00\x00\x00"):
        TrigramPosting.objects.filter(segment__repository=payments).update(data=row)
        answer = find('"token"')
        assert [(one.project, one.reason) for one in answer.receipt.missing] == [
            ("payments-api", "text_index_damaged")
        ]
        assert {one.project for one in answer.results} == {"auth-service"}


def test_a_stream_lists_more_matches_of_a_file_than_a_page_and_names_what_it_cuts(
    acme: Organization, credential: Credential, monkeypatch: pytest.MonkeyPatch
) -> None:
    index_repository(acme, "generated", {"a.txt": "needle\n" * 3_000})
    first, _ = rows = list(rows_of(credential, '"needle"'))
    assert isinstance(first, Result)
    assert len(first.lines) == first.matches == 3_000
    assert missing_of(rows) == []
    monkeypatch.setattr(line_search, "EXACT_STREAM_MATCHES_OF_FILE", 2_000)
    first, _ = rows = list(rows_of(credential, '"needle"'))
    assert isinstance(first, Result)
    assert len(first.lines) == 2_000
    assert missing_of(rows) == [("generated", "too_many_matches")]


def test_the_lines_of_a_result_are_bounded_by_their_bytes(
    acme: Organization, credential: Credential
) -> None:
    line = "needle" + "\x01" * 480 + "\n"  # a control character has six bytes in JSON
    index_repository(acme, "generated", {"a.txt": line * 2_000})
    first, _ = rows = list(rows_of(credential, '"needle"'))
    assert isinstance(first, Result)
    assert first.matches == 2_000
    size = len(json.dumps(to_json(first.lines)))
    assert 0.9 * EXACT_RESULT_BYTES < size < EXACT_RESULT_BYTES
    assert missing_of(rows) == [("generated", "too_many_matches")]


def test_lines_of_several_terms_that_are_cut_are_named(
    acme: Organization, credential: Credential, monkeypatch: pytest.MonkeyPatch
) -> None:
    index_repository(acme, "generated", {"a.txt": "needle\nthread\n" * 1_500})
    monkeypatch.setattr(line_search, "EXACT_STREAM_MATCHES_OF_FILE", 2_000)
    rows = list(rows_of(credential, '"needle" OR "thread"'))
    assert missing_of(rows) == [("generated", "too_many_matches")]


def test_a_file_whose_pattern_takes_too_long_is_named_and_the_others_are_read(
    acme: Organization, credential: Credential
) -> None:
    slow = {"a.txt": "word " * 200_000 + "\U0001f600", "b.txt": "word \U0001f600\n"}
    index_repository(acme, "generated", slow)
    *found, _ = rows = list(rows_of(credential, r"/(?:\w|\s){1,1000}\x{1F600}/"))
    assert [one.file for one in found if isinstance(one, Result)] == ["b.txt"]
    assert missing_of(rows) == [("generated", "timeout")]


def test_a_slow_pattern_in_a_region_is_named_and_the_others_are_read(
    acme: Organization, credential: Credential
) -> None:
    function = 'def slow():\n    return "{}"\n'
    slow = {"a.py": function.format("word " * 150_000), "b.py": function.format("word \U0001f600")}
    index_repository(acme, "generated", slow)
    *found, _ = rows = list(rows_of(credential, r"type:function /(?:\w|\s){1,1000}\x{1F600}/"))
    assert [one.file for one in found if isinstance(one, Result)] == ["b.py"]
    assert missing_of(rows) == [("generated", "timeout")]


@pytest.mark.django_db(transaction=True)
def test_a_stream_has_no_transaction_open_between_two_results(credential: Credential) -> None:
    rows = rows_of(credential, '"token"')
    next(rows)
    assert not connection.in_atomic_block
    assert missing_of(rows) == []


@pytest.mark.django_db(transaction=True)
def test_a_stream_that_finds_nothing_gives_control_back_without_a_transaction(
    credential: Credential, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_search, "STREAM_PORTION_SECONDS", -1.0)
    rows = every_match(credential=credential, request=SearchRequest((r"/\d{30}/",)))
    for _ in AUTH | PAYMENTS:
        assert next(rows) is None
        assert not connection.in_atomic_block
    (end,) = rows
    assert isinstance(end, StreamEnd)
    assert end.hint


def test_a_stream_names_what_was_indexed_again_meanwhile(
    acme: Organization, credential: Credential, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_FIRST_BYTES", 0)
    monkeypatch.setattr(files, "EXACT_READ_BYTES", 0)
    rows = rows_of(credential, '"token"')
    next(rows)
    File.objects.filter(repository__name="payments-api").delete()
    assert missing_of(rows) == [("payments-api", "reindexed")]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("query", ['"token"', 'type:function "token"'])
def test_a_stream_does_not_answer_from_memory_what_is_deleted_meanwhile(
    credential: Credential, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    assert missing_of(rows_of(credential, query)) == []  # all of it is in memory now
    monkeypatch.setattr(files, "_FIRST_BYTES", 0)
    monkeypatch.setattr(files, "EXACT_READ_BYTES", 0)
    rows = rows_of(credential, query)
    first = next(rows)
    assert isinstance(first, Result)
    Chunk.objects.filter(file__repository__name="payments-api").delete()
    Symbol.objects.filter(file__repository__name="payments-api").delete()
    File.objects.filter(repository__name="payments-api").delete()
    *others, end = rows
    assert {one.project for one in others if isinstance(one, Result)} == {"auth-service"}
    assert missing_of([end]) == [("payments-api", "reindexed")]


def test_regions_that_are_gone_meanwhile_are_named(
    credential: Credential, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = 'type:function "token"'
    assert missing_of(rows_of(credential, query)) == []  # the content is in memory now
    monkeypatch.setattr(regions, "_AHEAD", 1)
    rows = rows_of(credential, query)
    next(rows)
    File.objects.filter(repository__name="payments-api").delete()
    assert missing_of(rows) == [("payments-api", "reindexed")]


# --- What is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "mode", "message"),
    [
        ('"open', Mode.HYBRID, 'Column 1: .*"'),
        ("/a(/", Mode.HYBRID, "Column 1: RE2"),
        ("x(", Mode.REGEX, "Column 1: RE2"),
        ("lang:pyhton x", Mode.HYBRID, "Column 1: .*python"),
        ("foo($A)", Mode.STRUCTURAL, "lang: with one of"),
        ('-type:class "x"', Mode.HYBRID, "`type:` stands beside"),
        ('type:class OR "x"', Mode.HYBRID, "`type:` stands beside"),
        ('type:class "x" type:method', Mode.HYBRID, "Column 16: .*exclude each other"),
        ("type:class x type:method", Mode.LITERAL, "exclude each other"),
        (r"/a\C/", Mode.HYBRID, "one byte"),
        ("/$/", Mode.HYBRID, "Column 1: .*places only"),
        (r"token /(?m)^|\b(?:$)*/", Mode.HYBRID, "Column 7: .*places only"),
        ("$", Mode.REGEX, "Column 1: .*places only"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_to_write(
    find: Search, query: str, mode: Mode, message: str
) -> None:
    with pytest.raises(Exception, match=message):
        find(query, mode=mode)


@pytest.mark.parametrize("query", ['type:class "x"', "type:class x", "type:symbol x"])
def test_two_types_are_refused(find: Search, query: str) -> None:
    with pytest.raises(InvalidError, match="Give one type"):
        find(query, chunk_type="method")
    assert find('type:method "refuse" type:method', chunk_type="method").count


def test_several_queries_have_words_only(find: Search) -> None:
    with pytest.raises(QueryError, match="several queries at once have words only"):
        find(("token", '"jwt"'))
    with pytest.raises(QueryError, match="takes one query"):
        find(("token", "jwt"), mode=Mode.LITERAL)


# --- Who sees what ------------------------------------------------------------------------------


def test_no_match_of_a_repository_out_of_scope_is_returned_or_counted(acme: Organization) -> None:
    index_repository(organization_of("rival"), "secret", {"a.py": "token_of_rival = 1\n"})
    for query, mode in (
        ('"token"', Mode.HYBRID),
        ("/token/", Mode.HYBRID),
        ("lang:python $X = $Y", Mode.STRUCTURAL),
        ("sym:token", Mode.HYBRID),
        ("file:a.py", Mode.HYBRID),
        ('"token" verify', Mode.HYBRID),
    ):
        answer = search(
            credential=credential_for(acme, {"payments-api"}),
            request=SearchRequest((query,), mode=mode, limit=50),
        )
        assert {one.project for one in answer.results} <= {"payments-api"}
        if answer.total:
            assert answer.total.files == len(answer.results)
        assert [one.project for one in answer.receipt.projects] == ["payments-api"]


# --- No match is lost ---------------------------------------------------------------------------


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    literal=st.sampled_from(sorted(AUTH)).flatmap(
        lambda path: st.integers(0, len(AUTH[path]) - 12).flatmap(
            lambda start: st.integers(1, 12).map(lambda size: AUTH[path][start : start + size])
        )
    )
)
def test_every_piece_of_every_file_is_found(find: Search, literal: str) -> None:
    if not literal.strip() or literal != literal.strip():
        return
    found = find(literal, mode=Mode.LITERAL, limit=50)
    expected = {path for path, content in (AUTH | PAYMENTS).items() if literal in content}
    assert expected <= {result.file for result in found.results}


def test_a_cursor_tells_who_sees_less_nothing_of_other_repositories(acme: Organization) -> None:
    index_repository(acme, "a-public", {f"f{n}.py": "needle\n" for n in range(4)})
    index_repository(acme, "secret", {f"s{n}.py": "needle\n" for n in range(9)})
    request = SearchRequest(('"needle"',), limit=2)
    of_all = search(credential=credential_for(acme), request=request)
    assert of_all.total == Total(13, 13, at_least=False)
    following = replace(request, cursor=of_all.next_cursor or "")
    of_one = search(credential=credential_for(acme, {"a-public"}), request=following)
    assert [result.file for result in of_one.results] == ["f2.py", "f3.py"]
    assert of_one.total == Total(2, 2, at_least=True)
    assert of_one.next_cursor is None
    assert search(credential=credential_for(acme), request=following).total == of_all.total
