"""With group_by=file each file is one result: its best hit, and the others as spans."""

import uuid
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoDbBlocker

from aeterna_code_search.contract.search import GroupBy, Mode, Result, SearchAnswer, SearchRequest
from central.errors import InvalidError
from central.search import retrieval
from central.search.candidates import Candidate, Joiner, ungrouped
from central.search.ranked_results import RESULT_SPANS
from central.search.service import search
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
from indexer.records.files import ChunkType
from tests.central.lasting import lasting
from tests.central.search.corpus import credential_for, index_repository
from tests.property_settings import examples

RANKED = (Mode.HYBRID, Mode.SEMANTIC, Mode.LEXICAL)
FUNCTION = '''def handle_{topic}_{n}(request):
    """Handle the request for {topic} number {n} and log what happened."""
    value = request.read("{topic}", {n})
    log.info("handled {topic}", value=value, number={n})
    return respond(value * {n})
'''
FILES = 20
FUNCTIONS = 8  # of a file: more than there are spans


@pytest.fixture(scope="module")
def made(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Credential]:
    with lasting(django_db_blocker, make_office) as credential:
        yield credential


@pytest.fixture
def office(made: Credential, db: None) -> Credential:
    """Two projects with the same paths, each file with several functions that are alike."""
    return made


def make_office() -> Credential:
    organization = Organization.objects.create(slug=f"office-{uuid.uuid4().hex[:8]}")
    for project, topic in (("one", "payment"), ("two", "refund")):
        files = {f"src/part_{n}.py": functions(topic, n, FUNCTIONS) for n in range(FILES)}
        index_repository(organization, project, files)
    index_repository(organization, "huge", {f"src/{n}.py": functions("visa", n, 99) for n in "12"})
    return credential_for(organization)


def functions(topic: str, file: object, count: int) -> str:
    return "\n\n".join(FUNCTION.format(topic=topic, n=f"{file}{n:02}") for n in range(count))


def ask(credential: Credential, *queries: str, **options: Any) -> SearchAnswer:
    options = {"group_by": GroupBy.FILE, **options}
    return search(credential=credential, request=SearchRequest(queries=queries, **options))


def pages(credential: Credential, *queries: str, **options: Any) -> list[list[Result]]:
    found: list[list[Result]] = []
    cursor: str | None = ""
    while cursor is not None:
        answer = ask(credential, *queries, cursor=cursor, **options)
        found.append(answer.results)
        cursor = answer.next_cursor
    return found


def files_of(results: list[Result]) -> list[tuple[str, str]]:
    return [(result.project, result.file) for result in results]


@pytest.mark.parametrize("mode", RANKED)
@pytest.mark.parametrize("queries", [("payment request",), ("refund number", "payment value")])
def test_no_file_is_on_two_pages_and_pages_are_full(
    office: Credential, mode: Mode, queries: tuple[str, ...]
) -> None:
    found = pages(office, *queries, mode=mode, limit=7)
    assert [len(page) for page in found[:-1]] == [7] * (len(found) - 1)
    small = [result for page in found for result in page]
    assert len(set(files_of(small))) == len(small) >= FILES
    [large, *rest] = pages(office, *queries, mode=mode, limit=50)
    assert not rest
    assert [(one.file, one.start_line, one.score, one.spans) for one in small] == [
        (one.file, one.start_line, one.score, one.spans) for one in large
    ]
    scores = [result.score for result in small]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("mode", RANKED)
def test_spans_are_the_next_hits_of_the_file(office: Credential, mode: Mode) -> None:
    answer = ask(office, "payment request", mode=mode, include_projects=("one",), limit=50)
    assert answer.count == FILES
    for result in answer.results:
        assert len(result.spans) <= RESULT_SPANS
        scores = [result.score, *(span.score for span in result.spans)]
        assert scores == sorted(scores, reverse=True)
        number = result.file.removeprefix("src/part_").removesuffix(".py")
        lines = {result.start_line, *(span.start_line for span in result.spans)}
        assert len(lines) == 1 + len(result.spans)
        for span in result.spans:
            assert span.chunk_type == result.chunk_type == "function"
            assert span.name.startswith(f"handle_payment_{number}")
    assert any(len(result.spans) == RESULT_SPANS for result in answer.results)


@pytest.mark.parametrize("mode", RANKED)
def test_the_best_of_each_file_is_as_good_as_without_groups(office: Credential, mode: Mode) -> None:
    grouped = ask(office, "payment request", mode=mode, limit=20)
    single = ask(office, "payment request", mode=mode, limit=50, group_by=GroupBy.NONE)
    best = dict.fromkeys(files_of(single.results))
    shared = [file for file in files_of(grouped.results) if file in best]
    assert shared == list(best)[: len(shared)]
    assert grouped.results[0].start_line == single.results[0].start_line
    assert grouped.confidence == single.confidence
    assert not any(result.spans for result in single.results)


def test_a_result_has_all_that_it_has_without_groups(office: Credential) -> None:
    [grouped, *_] = ask(office, "handle_payment_307", explain=True, expand=1).results
    [single, *_] = ask(
        office, "handle_payment_307", explain=True, expand=1, group_by=GroupBy.NONE
    ).results
    assert grouped.spans
    for name in Result.__dataclass_fields__:
        if name != "spans":
            assert getattr(grouped, name) == getattr(single, name), name


def test_no_rule_makes_room_for_other_files_in_groups(office: Credential) -> None:
    def rules(group_by: GroupBy) -> set[str]:
        answer = ask(office, "payment request", explain=True, limit=50, group_by=group_by)
        return {one.rule for result in answer.results if result.why for one in result.why.rules}

    assert "diversity" in rules(GroupBy.NONE)
    assert "diversity" not in rules(GroupBy.FILE)


def test_symbol_searches_list_definitions(office: Credential) -> None:
    asked = {"mode": Mode.SYMBOL, "include_projects": ("one",), "limit": 50}
    answer = ask(office, "handle payment", **asked)
    assert len(set(files_of(answer.results))) < answer.count
    assert not any(result.spans for result in answer.results)
    single = ask(office, "handle payment", group_by=GroupBy.NONE, **asked)
    assert answer.results == single.results


@pytest.mark.parametrize(
    "query", ['"handle_payment_307"', "/handle_payment_30[67]/", "type:file 3"]
)
def test_exact_searches_list_files_as_ever(office: Credential, query: str) -> None:
    grouped = ask(office, query)
    assert grouped.results
    single = ask(office, query, group_by=GroupBy.NONE)
    assert (grouped.results, grouped.total) == (single.results, single.total)
    assert not any(result.spans for result in grouped.results)


@pytest.mark.parametrize("mode", RANKED)
def test_few_large_files_are_all_of_the_answer_and_are_not_read_to_their_end(
    office: Credential, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    asked = retrieval._query_store

    def counting(plan: Any, size: int) -> object:
        if plan.collections:
            sizes.append(size)
        return asked(plan, size)

    monkeypatch.setattr(retrieval, "_query_store", counting)
    answer = ask(office, "visa request", mode=mode, include_projects=("huge",))
    assert set(files_of(answer.results)) == {("huge", "src/1.py"), ("huge", "src/2.py")}
    assert answer.next_cursor is None
    assert answer.receipt.complete
    assert sum(sizes) <= 2 * retrieval.FIRST_SIZE


def test_a_filter_of_similarity_loses_no_file(office: Credential) -> None:
    every = ask(office, "payment request", mode=Mode.LEXICAL, limit=50, min_similarity=0.0)
    assert set(files_of(every.results)) >= {("one", f"src/part_{n}.py") for n in range(FILES)}


def test_a_search_takes_no_more_statements_than_without_groups(office: Credential) -> None:
    def statements(group_by: GroupBy) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert ask(office, "payment request", group_by=group_by).count == 10
        return len(captured)

    statements(GroupBy.NONE)
    assert statements(GroupBy.FILE) == statements(GroupBy.NONE)


def test_a_cursor_belongs_to_its_grouping(office: Credential) -> None:
    cursor = ask(office, "payment request").next_cursor
    assert cursor
    with pytest.raises(InvalidError):
        ask(office, "payment request", cursor=cursor, group_by=GroupBy.NONE)


def test_grouping_shows_no_other_tenant_and_no_hidden_project(office: Credential) -> None:
    rival = Organization.objects.create(slug=f"rival-{uuid.uuid4().hex[:8]}")
    secret = functions("payment", 3, FUNCTIONS).replace("log.info", "secret.tell")
    index_repository(rival, "one", {"src/part_3.py": secret})
    for credential in (office, credential_for(office.organization, {"two"})):
        answer = ask(credential, "payment secret tell", limit=50)
        assert answer.results
        assert not any("secret.tell" in result.content for result in answer.results)
    assert {project for project, _ in files_of(answer.results)} == {"two"}


# The same on hits that are made up: scores, files and batches of any kind.

PLACES = st.tuples(st.integers(1, 2), st.sampled_from("abc"), st.integers(0, 30))
BATCHES = st.lists(st.dictionaries(PLACES, st.floats(0.0, 1.0), max_size=12), max_size=3)


def batches_of(drawn: list[dict[tuple[int, str, int], float]]) -> list[list[Candidate]]:
    """Batches in descending order, a place only in the first that has it."""
    batches, known, most = [], set[Any](), 1.0
    for scores in drawn:
        fresh = {place: most * score for place, score in scores.items() if place not in known}
        known |= fresh.keys()
        ordered = sorted(fresh.items(), key=lambda item: (-item[1], item[0]))
        batches.append([hit_at(place, score) for place, score in ordered])
        most = min(fresh.values(), default=most)
    return batches


def hit_at(place: tuple[int, str, int], score: float) -> Candidate:
    repository, path, line = place
    key = (repository * 3 + "abc".index(path)) * 31 + line
    return Candidate(
        project="shop",
        id=key,
        point=UUID(int=key),
        repository=repository,
        path=path,
        language="python",
        start_line=10 * line + 1,
        end_line=10 * line + 9,
        type=str(ChunkType.FUNCTION),
        name="",
        container="",
        term_ids=b"",
        is_reexport=False,
        score=score,
        queries=(0,),
    )


def joined(batches: list[list[Candidate]], *, by_file: bool) -> list[Candidate]:
    joiner = Joiner(lambda _: {}, by_file=by_file)
    for batch in batches:
        joiner.add(batch)
    return joiner.hits


def file_of(hit: Candidate) -> tuple[int, str]:
    return hit.file


@examples(100)
@given(BATCHES)
def test_groups_are_in_the_order_of_their_best_hits(drawn: Any) -> None:
    batches = batches_of(drawn)
    single, groups = joined(batches, by_file=False), joined(batches, by_file=True)
    assert [file_of(hit) for hit in groups] == list(dict.fromkeys(map(file_of, single)))
    best = {file_of(hit): hit for hit in reversed(single)}
    assert [hit._replace(further=()) for hit in groups] == [best[file_of(hit)] for hit in groups]
    for hit in groups:
        assert {file_of(one) for one in hit.further} <= {file_of(hit)}
        scores = [hit.score, *(one.score for one in hit.further)]
        assert scores == sorted(scores, reverse=True)


@examples(100)
@given(BATCHES)
def test_the_hits_of_groups_are_the_hits_without_groups(drawn: Any) -> None:
    [batch, *_] = batches_of(drawn) or [[]]
    groups = ungrouped(joined([batch], by_file=True))
    single = joined([batch], by_file=False)
    assert [hit.score for hit in groups] == [hit.score for hit in single]
    assert sorted(groups) == sorted(single)


@examples(100)
@given(BATCHES)
def test_further_batches_change_nothing_of_the_groups_before(drawn: Any) -> None:
    batches = batches_of(drawn)
    for count in range(len(batches)):
        few = joined(batches[:count], by_file=True)
        assert joined(batches, by_file=True)[: len(few)] == few
