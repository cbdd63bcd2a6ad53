"""Exact searches over real rows: literals, regular expressions, structural patterns, filters."""

import re
from collections.abc import Generator, Iterable

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from central.corpus.models import File, TrigramPosting
from central.query.errors import QueryError
from central.repositories.models import Repository
from central.search import line_search
from central.search.answers import Answer, Receipt, Result
from central.search.exact import files
from central.search.line_search import every_match
from central.search.query import Mode, SearchRequest
from central.search.service import search
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
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


def test_an_empty_answer_explains_itself(find: Search) -> None:
    answer = find('"nosuchthing_zzz"')
    assert answer.count == 0
    assert answer.receipt.complete
    assert "case:no" in (answer.hint or "")


def rows_of(credential: Credential, query: str) -> Generator[Result | Receipt]:
    rows = every_match(credential=credential, request=SearchRequest((query,)))
    assert isinstance(rows, Generator)
    return rows


def missing_of(rows: Iterable[Result | Receipt]) -> list[tuple[str, str]]:
    *_, receipt = rows
    assert isinstance(receipt, Receipt)
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


def test_a_file_whose_pattern_takes_too_long_is_named_and_the_others_are_read(
    acme: Organization, credential: Credential
) -> None:
    slow = {"a.txt": "word " * 200_000 + "\U0001f600", "b.txt": "word \U0001f600\n"}
    index_repository(acme, "generated", slow)
    *found, _ = rows = list(rows_of(credential, r"/(?:\w|\s){1,1000}\x{1F600}/"))
    assert [one.file for one in found if isinstance(one, Result)] == ["b.txt"]
    assert missing_of(rows) == [("generated", "timeout")]


@pytest.mark.django_db(transaction=True)
def test_a_stream_has_no_transaction_open_between_two_results(credential: Credential) -> None:
    rows = rows_of(credential, '"token"')
    next(rows)
    assert not connection.in_atomic_block
    assert missing_of(rows) == []


def test_a_stream_names_what_was_indexed_again_meanwhile(
    acme: Organization, credential: Credential, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_FIRST_BYTES", 0)
    monkeypatch.setattr(files, "EXACT_READ_BYTES", 0)
    rows = rows_of(credential, '"token"')
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
        (r"/a\C/", Mode.HYBRID, "one byte"),
        ('-type:class "x"', Mode.HYBRID, "`type:` stands once"),
        ('type:class OR "x"', Mode.HYBRID, "`type:` stands once"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_to_write(
    find: Search, query: str, mode: Mode, message: str
) -> None:
    with pytest.raises(Exception, match=message):
        find(query, mode=mode)


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
