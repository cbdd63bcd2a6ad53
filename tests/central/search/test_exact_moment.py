"""Lines and receipt of an exact search are of one moment, whatever is applied meanwhile."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection, transaction

from aeterna_code_search.contract.search import Result, SearchReceipt, SearchRequest, StreamEnd
from central.corpus.models import File
from central.repositories.models import Repository
from central.search import line_search
from central.search.line_search import every_match
from central.search.scope import SearchScope, search_scope
from central.search.service import search
from central.tenancy.credentials import Credential
from tests.central.search.corpus import (
    apply_files,
    credential_for,
    index_repository,
    organization_of,
)

OLD, NEW = "a" * 40, "b" * 40


def apply_meanwhile() -> None:
    """Replace the file by another in a transaction of another connection."""

    def apply() -> None:
        try:
            with transaction.atomic():
                repository = Repository.objects.get(name="moving")
                File.objects.filter(repository=repository).delete()
                apply_files(repository, {"new.py": "new_needle = 2\n"}, commit=NEW)
        finally:
            connection.close()

    thread = threading.Thread(target=apply)
    thread.start()
    thread.join()


@pytest.fixture
def credential(transactional_db: None) -> Credential:
    organization = organization_of("acme")
    index_repository(organization, "moving", {"old.py": "old_needle = 1\n"}, commit=OLD)
    return credential_for(organization)


@pytest.fixture
def applied_after_scope(monkeypatch: pytest.MonkeyPatch) -> list[SearchScope]:
    """A run is applied each time when the scope was read, before the lines are."""
    scopes: list[SearchScope] = []

    def scope_then_apply(credential: Credential, request: SearchRequest) -> SearchScope:
        scopes.append(search_scope(credential, request))
        if len(scopes) == 1:
            apply_meanwhile()
        return scopes[-1]

    monkeypatch.setattr(line_search, "search_scope", scope_then_apply)
    return scopes


Searched = Callable[[Credential, SearchRequest], tuple[list[Result], SearchReceipt]]


def paged(credential: Credential, request: SearchRequest) -> tuple[list[Result], SearchReceipt]:
    answer = search(credential=credential, request=request)
    return answer.results, answer.receipt


def streamed(credential: Credential, request: SearchRequest) -> tuple[list[Result], SearchReceipt]:
    *results, end = every_match(credential=credential, request=request)
    assert isinstance(end, StreamEnd)
    return [one for one in results if isinstance(one, Result)], end.receipt


@pytest.mark.parametrize("searched", [paged, streamed])
@pytest.mark.parametrize("query", ['"needle"', "/n..dle/", "file:*.py", "sym:needle OR file:*.py"])
def test_an_apply_between_scope_and_lines_changes_neither(
    credential: Credential,
    applied_after_scope: list[SearchScope],
    searched: Searched,
    query: str,
) -> None:
    results, receipt = searched(credential, SearchRequest(queries=(query,)))
    assert len(applied_after_scope) == 1
    assert [(one.file, one.commit) for one in results] == [("old.py", OLD)]
    assert [one.commit for one in receipt.projects] == [OLD]
    assert receipt.complete

    results, receipt = searched(credential, SearchRequest(queries=(query,)))
    assert [(one.file, one.commit) for one in results] == [("new.py", NEW)]
    assert [one.commit for one in receipt.projects] == [NEW]
