"""Exact searches that are cut: damaged segments, slow patterns, streams, files that are gone."""

import json
from collections.abc import Generator, Iterable

import pytest
from django.db import connection

from aeterna_code_search.contract.search import Result, SearchRequest, StreamEnd
from central.corpus.models import Chunk, File, Symbol, TrigramPosting
from central.http.parameters import to_json
from central.limited_process import LimitedProcesses
from central.repositories.models import Repository
from central.search import line_search
from central.search.exact import files, limited, regions
from central.search.exact.matching import EXACT_RESULT_BYTES
from central.search.line_search import every_match
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
from tests.central import limited_child
from tests.central.limited_child import SPIN
from tests.central.search.conftest import AUTH, PAYMENTS, Search
from tests.central.search.corpus import index_repository


def rows_of(credential: Credential, query: str) -> Generator[Result | StreamEnd]:
    rows = every_match(credential=credential, request=SearchRequest(queries=(query,)))
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


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a process look at every file, and spin at those that say so."""
    processes = LimitedProcesses(limited_child.NAME, 1, cpu_seconds=1.0, seconds=60)
    monkeypatch.setattr(limited, "processes", processes)
    monkeypatch.setattr(limited, "slow_size", lambda _: 0)


@pytest.mark.usefixtures("stand_in")
def test_a_file_whose_pattern_takes_too_long_is_named_and_the_others_are_read(
    acme: Organization, credential: Credential
) -> None:
    index_repository(acme, "generated", {"a.txt": f"word {SPIN}\n", "b.txt": "word\n"})
    *found, _ = rows = list(rows_of(credential, "repo:generated /wor[d]/"))
    assert [one.file for one in found if isinstance(one, Result)] == ["b.txt"]
    assert missing_of(rows) == [("generated", "timeout")]


@pytest.mark.usefixtures("stand_in")
def test_a_slow_pattern_in_a_region_is_named_and_the_others_are_read(
    acme: Organization, credential: Credential
) -> None:
    function = 'def slow():\n    return "word {}"\n'
    slow = {"a.py": function.format(SPIN), "b.py": function.format("")}
    index_repository(acme, "generated", slow)
    *found, _ = rows = list(rows_of(credential, "repo:generated type:function /wor[d]/"))
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
    rows = every_match(credential=credential, request=SearchRequest(queries=(r"/\d{30}/",)))
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
