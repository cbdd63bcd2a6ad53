"""Pages of exact searches: counts, cursors, and the lines around matches."""

from itertools import cycle

import pytest

from aeterna_code_search.contract.search import Result, SearchAnswer, SearchRequest, Total
from central.corpus.trigrams import candidates
from central.corpus.trigrams.tree import literal_trigrams, tree_hashes
from central.search import line_search
from central.search.exact import hits, page
from central.search.scope import encode_cursor
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
from tests.central.search.conftest import AUTH, PAYMENTS, Search
from tests.central.search.corpus import index_repository


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


def all_pages(find: Search, query: str, **options: object) -> list[SearchAnswer]:
    """Every page of one result each, by the cursors."""
    pages = [find(query, limit=1, **options)]
    while cursor := pages[-1].next_cursor:
        pages.append(find(query, limit=1, cursor=cursor, **options))
    return pages


def test_pages_and_results_are_the_same_whichever_trigrams_are_looked_up(
    acme: Organization, find: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("gamma", "delta", "gamma delta", "gamma  delta")
    index_repository(acme, "words", {f"{n}.txt": f"{words[n % 4]}\n" for n in range(12)})
    whole = find('"gamma delta"', limit=50)
    hashes = list(tree_hashes(literal_trigrams("gamma delta")))
    for first in hashes:
        turns = cycle((first, *hashes))  # another one for each page
        monkeypatch.setattr(candidates, "_useful_trigrams", lambda *_, turns=turns: {next(turns)})
        pages = all_pages(find, '"gamma delta"')
        assert [one for page in pages for one in page.results] == whole.results
        assert all(len(page.next_cursor or "") <= 500 for page in pages)


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
    request = SearchRequest(queries=('"token"',), limit=1)
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
