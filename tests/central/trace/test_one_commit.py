"""Links and receipt of a trace are of one commit, whatever is applied meanwhile."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from central.repositories.models import Repository
from central.repositories.visibility import RepositorySnapshot, repository_snapshots
from central.tenancy.credentials import Credential
from central.trace import request_scope
from tests.central.trace.conftest import Ask
from tests.central.trace.corpus import COMMIT, change_files, repository

NEW = "b" * 40
CALLER = "def run():\n    verify()\n\ndef verify(): ...\n"


@pytest.fixture
def ask_of_rows(transactional_db: None, ask_live: Ask) -> Ask:
    """As `ask`, of rows that other connections see."""
    repository("auth", {"old.py": CALLER})
    return ask_live


@pytest.fixture
def scopes(monkeypatch: pytest.MonkeyPatch) -> list[list[RepositorySnapshot]]:
    """A run is applied when the first scope was read, before the references are."""
    found: list[list[RepositorySnapshot]] = []

    def scope_then_apply(*, credential: Credential) -> list[RepositorySnapshot]:
        found.append(repository_snapshots(credential=credential))
        if len(found) == 1:
            apply_meanwhile()
        return found[-1]

    monkeypatch.setattr(request_scope, "repository_snapshots", scope_then_apply)
    return found


def apply_meanwhile() -> None:
    """Move the file in a transaction of another connection."""

    def apply() -> None:
        try:
            auth = Repository.objects.get(name="auth")
            change_files(auth, {"new.py": CALLER}, removed=("old.py",), commit=NEW)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(apply).result()


@pytest.mark.parametrize(
    ("what", "symbol"), [("callers", "verify"), ("callees", "run"), ("graph", "run")]
)
def test_an_apply_during_a_trace_changes_neither_links_nor_receipt(
    ask_of_rows: Ask, scopes: list[list[RepositorySnapshot]], what: str, symbol: str
) -> None:
    first = ask_of_rows(what, symbol=symbol).json()
    assert len(scopes) == 1  # it does not run again
    assert (files_of(first), commits_of(first)) == ({"old.py"}, {COMMIT})

    second = ask_of_rows(what, symbol=symbol).json()
    assert (files_of(second), commits_of(second)) == ({"new.py"}, {NEW})


def test_a_refused_trace_leaves_the_connection_to_the_next_one(ask_of_rows: Ask) -> None:
    assert ask_of_rows("callers", symbol="nowhere").json()["code"] == "symbol_not_found"
    assert files_of(ask_of_rows("callers", symbol="verify").json()) == {"old.py"}


def files_of(answer: dict[str, Any]) -> set[str]:
    listed = answer.get("nodes") or answer.get("callers") or answer["callees"]
    return {one["file"] for one in listed}


def commits_of(answer: dict[str, Any]) -> set[str]:
    return {one["commit"] for one in answer["receipt"]["projects"]}
