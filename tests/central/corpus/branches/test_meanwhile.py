"""What other connections do to branches while one is read, opened or applied."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.db import connection

from central.corpus.branches import chosen as choosing
from central.corpus.branches import of_project
from central.corpus.branches.scope import ChosenBranch, on_branches
from central.corpus.models import File
from central.ingest.models import IndexRun
from central.ingest.services import open_run as opening
from central.repositories.models import Branch
from central.repositories.states import RunState
from central.tenancy.models import Organization
from tests.central.branches import MAIN, Service
from tests.central.protocol import api_of, apply_queued, tree_of
from tests.central.search.corpus import credential_for

Change = Callable[[], object]
START = {"a.py": "one\n"}
RELEASE = {"a.py": "two\n", "b.py": "one\n"}
OTHER = {"a.py": "three\n"}


@pytest.fixture
def service(transactional_db: None) -> Service:
    api = api_of()
    Organization.objects.update(branches=["release/*"])
    service = Service(api)
    service.push(MAIN, START)
    service.push("release/1", RELEASE)
    return service


def elsewhere(change: Change) -> None:
    """Make a change by another connection."""

    def make() -> None:
        try:
            change()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(make).result(60)


def contents(reading: Callable[..., AbstractContextManager[Any]], **asked: Any) -> Any:
    credential = credential_for(Organization.objects.get())
    with reading(credential, **asked):
        return dict(File.objects.order_by("path").values_list("path", "content"))


@pytest.mark.parametrize(
    ("module", "reading", "asked"),
    [
        (choosing, choosing.reading, {"refs": ["release/1"]}),
        (of_project, of_project.reading_branch, {"project": "shop", "ref": "release/1"}),
    ],
)
def test_a_branch_that_is_deleted_as_a_request_begins_is_not_read_by_its_number(
    service: Service, monkeypatch: pytest.MonkeyPatch, module: Any, reading: Any, asked: Any
) -> None:
    def replace_branch() -> None:
        service.delete("release/1")
        service.push("release/2", OTHER)

    def change_first(chosen: Sequence[ChosenBranch]) -> AbstractContextManager[None]:
        elsewhere(replace_branch)
        return on_branches(chosen)

    monkeypatch.setattr(module, "on_branches", change_first)
    assert contents(reading, **asked) == RELEASE


def test_a_full_run_is_planned_again_if_the_default_branch_lost_what_it_shares(
    service: Service,
) -> None:
    files = {**START, "c.py": "three\n"}
    service.push(MAIN, files)
    run = service.open("release/1", files)
    assert service.api.put_tree(run, tree_of(files)).json()["changed"] == []
    service.push(MAIN, START)
    service.send(run, [], "full")
    assert apply_queued() == [RunState.STALE]
    assert service.push("release/1", files, is_full=True) == [RunState.APPLIED]


def test_a_branch_that_is_deleted_as_a_run_opens_goes_with_that_run(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_idle = opening._require_idle

    def delete() -> None:
        try:
            service.delete("release/1")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        deletions: list[Future[None]] = []

        def delete_first(*asked: Any) -> None:
            deletions.append(thread.submit(delete))
            wait(deletions, 1)
            require_idle(*asked)

        monkeypatch.setattr(opening, "_require_idle", delete_first)
        service.open("release/1", RELEASE)
        deletions[0].result(60)
    assert not Branch.objects.exists()
    assert not IndexRun.objects.filter(ref="refs/heads/release/1").exists()
    monkeypatch.undo()
    assert service.push("release/1", OTHER) == [RunState.APPLIED]
