"""A run writes its own branch and no other, whatever its client claims."""

from dataclasses import replace

import pytest

from central.corpus.backends import collection_of, vector_store
from central.corpus.branches.tables import IN_OTHERS
from central.corpus.models import File
from central.db import fetch_rows, sql
from central.repositories.models import Branch, Repository
from central.repositories.states import RunState
from indexer.records.files import FileRecord
from tests.central.branches import MAIN, Service, fresh_dump, record_of
from tests.central.protocol import api_of

START = {"a.py": "one\n", "kit/b.py": "three\n"}
RELEASE = {**START, "a.py": "two\nlines\n"}
_OWN = sql("SELECT path FROM {others}{file} ORDER BY path", others=IN_OTHERS, file=File)

pytestmark = pytest.mark.django_db


def wrong_content(path: str, content: str) -> FileRecord:
    """The record of another content under the same blob id."""
    return replace(record_of(path, content), content=content.upper())


def wrong_facts(path: str, content: str) -> FileRecord:
    record = record_of(path, content)
    return replace(record, symbols=(), references=(), chunks=record.chunks[:1])


@pytest.fixture
def service() -> Service:
    api = api_of()
    type(api.organization).objects.update(branches=["release/*"])
    service = Service(api)
    service.push(MAIN, START)
    return service


def push_lies(service: Service, lie: object) -> None:
    service.push("release/1", START)
    honest, service.record = service.record, lie  # type: ignore[assignment]
    assert service.push("release/1", RELEASE) == [RunState.APPLIED]
    service.record = honest


@pytest.mark.parametrize("lie", [wrong_content, wrong_facts])
def test_a_file_that_another_branch_has_is_not_replaced(service: Service, lie: object) -> None:
    service.push("release/2", RELEASE)
    push_lies(service, lie)
    assert service.dump("release/2") == fresh_dump(RELEASE, with_terms=False)
    assert service.dump(MAIN) == fresh_dump(START, with_terms=True)


@pytest.mark.parametrize("lie", [wrong_content, wrong_facts])
def test_the_default_branch_gets_what_its_own_run_sent(service: Service, lie: object) -> None:
    push_lies(service, lie)
    service.push(MAIN, RELEASE)
    assert service.dump(MAIN) == fresh_dump(RELEASE, with_terms=True)


def test_a_first_run_takes_no_file_unread_that_only_another_branch_has(service: Service) -> None:
    push_lies(service, wrong_content)
    service.push("release/2", RELEASE)
    assert service.dump("release/2") == fresh_dump(RELEASE, with_terms=False)


def test_what_two_branches_have_beside_the_default_one_is_stored_once(service: Service) -> None:
    service.push("release/1", RELEASE)
    service.push("release/2", RELEASE)
    assert fetch_rows(_OWN) == [("a.py",)]


def test_files_are_not_shared_with_a_branch_of_another_embedder(service: Service) -> None:
    service.push("release/1", RELEASE)
    type(service.api.organization).objects.update(embedder="ollama/other/256")
    service.push("release/2", RELEASE)
    assert Branch.objects.get(ref="refs/heads/release/2").embedder == "ollama/other/256"
    assert fetch_rows(_OWN) == [("a.py",), ("a.py",), ("kit/b.py",)]
    service.push(MAIN, START, is_full=True)
    shop = Repository.objects.select_related("organization").get()
    own = collection_of(shop, "ollama/other/256", of_others=True)
    assert len(list(vector_store().points(own))) == 2  # lines of a.py
    service.push("release/1", RELEASE, is_full=True)
    assert fetch_rows(_OWN) == [("a.py",)]
