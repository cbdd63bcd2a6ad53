"""Exact searches over real rows: literals, regular expressions, structural patterns, filters."""

import re
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aeterna_code_search.contract.search import Mode, SearchAnswer, SearchRequest, Total
from central.corpus.models import Chunk, Symbol
from central.errors import InvalidError
from central.query.errors import QueryError
from central.query.patterns import QUERY_PATTERN_CHARACTERS
from central.repositories.models import Repository
from central.search import line_search
from central.search.service import search
from central.tenancy.models import Organization
from tests.central.search.conftest import AUTH, PAYMENTS, Search
from tests.central.search.corpus import credential_for, index_repository, organization_of


def places(answer: SearchAnswer) -> list[tuple[str, int]]:
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


@pytest.mark.parametrize("pattern", ["backoff\\(\\)$", "backoff\\(\\)$|nothing_else$", "^def.*:$"])
def test_lines_that_end_with_crlf_end_there(acme: Organization, find: Search, pattern: str) -> None:
    texts = {"a.py": "def retry():\n    backoff()\n"}
    texts["b.py"] = texts["a.py"].replace("\n", "\r\n")
    index_repository(acme, "crlf", texts)
    found = find(f"repo:crlf /{pattern}/")
    line = 1 if "def" in pattern else 2
    assert sorted(places(found)) == [("a.py", line), ("b.py", line)]
    assert len({str(result.lines) for result in found.results}) == 1


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


# --- Order and time -----------------------------------------------------------------------------


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


def test_what_no_file_has_is_refused(find: Search, subtests: pytest.Subtests) -> None:
    queries = ('"{}"', "/a{}+b/", "sym:a{}", "repo:a{} x", "file:{}", "a {}")
    for query, mode, character in product(queries, Mode, ("\0", "\ud800", "\udfff")):
        text = query.format(character)
        refused = pytest.raises(QueryError, match=f"Column {text.index(character) + 1}: U")
        with subtests.test(ascii(text), mode=mode), refused:
            find(text, mode=mode)


ODD_QUERIES = (
    "/({})/".format("|".join(f"nam{at:03}\\w+" for at in range(90))),
    " OR ".join(f"/a{at:02}bc\\w*/" for at in range(99)),
    "/\u017fession\\w+|Kelvin\\w*|日本語\\w+|é'\\w+|\\Q'\\E\\w+|(?P<n>abc)\\w+/",
    'sym:日本語 "\u017f" "e\u0301" file:/\u202e/',
    r'sym:"%_\\" sym:/.*/ -sym:*',
    '-(-(-("token" OR -sym:x)))',
    "/(?s)(.|\n)*/ type:function",
    "/x*|^|$/ type:symbol",
)


def test_odd_queries_are_answered(find: Search, subtests: pytest.Subtests) -> None:
    for query in ODD_QUERIES:
        with subtests.test(query):
            answer = find(query, expand=100, limit=50)
            assert answer.receipt.complete
            assert answer.results or answer.hint


# --- What is refused ----------------------------------------------------------------------------


UNREADABLE = (
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
)


def test_what_cannot_be_read_is_refused_with_what_to_write(
    find: Search, subtests: pytest.Subtests
) -> None:
    for query, mode, message in UNREADABLE:
        with subtests.test(query), pytest.raises(Exception, match=message):
            find(query, mode=mode)


def test_two_types_are_refused(find: Search) -> None:
    for query in ('type:class "x"', "type:class x", "type:symbol x"):
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
            request=SearchRequest(queries=(query,), mode=mode, limit=50),
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
    request = SearchRequest(queries=('"needle"',), limit=2)
    of_all = search(credential=credential_for(acme), request=request)
    assert of_all.total == Total(13, 13, at_least=False)
    following = replace(request, cursor=of_all.next_cursor or "")
    of_one = search(credential=credential_for(acme, {"a-public"}), request=following)
    assert [result.file for result in of_one.results] == ["f2.py", "f3.py"]
    assert of_one.total == Total(2, 2, at_least=True)
    assert of_one.next_cursor is None
    assert search(credential=credential_for(acme), request=following).total == of_all.total


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        ("sym:AuthMiddleware.refuse", {9 + 7}),
        ("sym:middleware.REFUSE case:no", {9 + 7}),
        ("sym:AuthMiddleware#refuse", {9 + 7}),
        ("sym:AuthMiddleware.", set()),
        ("sym:Ledger::PostEntry", {4}),
        ("sym:Other.refuse", set()),
        ('sym:AuthMiddleware.refuse "response.headers"', {9 + 7, 20}),
    ],
)
def test_a_qualified_name_is_that_of_its_container(
    find: Search, query: str, lines: set[int]
) -> None:
    assert {line for _, line in places(find(query))} == lines
