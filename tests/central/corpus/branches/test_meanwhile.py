"""What other connections do to branches while one is read, opened or applied."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import pytest
from django.db import connection

from central.corpus.branches import chosen as choosing
from central.corpus.branches import of_project
from central.corpus.branches.chosen import reading
from central.corpus.branches.scope import ChosenBranch, on_branches
from central.corpus.models import File
from central.ingest.models import IndexRun
from central.ingest.services import open_run as opening
from central.repositories.models import Branch, Repository
from central.repositories.states import RunState
from central.tenancy.models import Organization
from tests.central.branches import MAIN, Service, fresh_dump
from tests.central.protocol import api_of, apply_queued, apply_run, tree_of
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


def in_thread(change: Change) -> None:
    try:
        change()
    finally:
        connection.close()


def elsewhere(change: Change) -> None:
    """Make a change by another connection."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(in_thread, change).result(60)


def begun_as_a_run_opens(service: Service, branch: str, change: Change) -> None:
    """Open a run of a branch, during which another connection begins a change."""
    with ThreadPoolExecutor(1) as thread, pytest.MonkeyPatch.context() as patched:
        begun: list[Future[None]] = []
        require_idle = opening._require_idle

        def change_first(*asked: Any) -> None:
            begun.append(thread.submit(in_thread, change))
            wait(begun, 1)
            require_idle(*asked)

        patched.setattr(opening, "_require_idle", change_first)
        service.open(branch, RELEASE)
        begun[0].result(60)


def contents(read: Callable[..., AbstractContextManager[Any]], **asked: Any) -> Any:
    credential = credential_for(Organization.objects.get())
    with read(credential, **asked):
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


def test_a_branch_that_is_deleted_as_a_run_opens_goes_with_that_run(service: Service) -> None:
    begun_as_a_run_opens(service, "release/1", partial(service.delete, "release/1"))
    assert not Branch.objects.exists()
    assert not IndexRun.objects.filter(ref="refs/heads/release/1").exists()
    assert service.push("release/1", OTHER) == [RunState.APPLIED]


def test_a_branch_that_becomes_the_default_one_as_its_first_run_opens_is_no_other_one(
    service: Service,
) -> None:
    begun_as_a_run_opens(service, "release/9", partial(service.make_default, "release/9"))
    assert Repository.objects.get().tracked_ref == "refs/heads/release/9"
    assert list(Branch.objects.values_list("ref", flat=True)) == ["refs/heads/release/1"]


def read_often(seen: list[dict[str, str]]) -> None:
    credential = credential_for(Organization.objects.get())
    for _ in range(20):
        with reading(credential, ["release/1"]) as chosen:
            files = dict(File.objects.values_list("path", "content"))
            seen += [files] if chosen.branches else []


def test_applies_deletions_and_searches_at_one_time_leave_each_branch_as_it_is(
    service: Service,
) -> None:
    """Each search sees a branch as one of its runs left it."""
    versions = [{"a.py": f"two{number}\n", "b.py": f"two{number}\n"} for number in range(4)]
    service.push("release/2", START)
    seen: list[dict[str, str]] = []

    with ThreadPoolExecutor(6) as threads:
        for number, version in enumerate(versions):
            runs = [
                service.queue(MAIN, {"a.py": f"one{number}\n"}),
                service.queue("release/1", version, is_full=True),
            ]
            done = [threads.submit(in_thread, partial(apply_run, run_id=run)) for run in runs]
            done += [threads.submit(in_thread, partial(read_often, seen)) for _ in range(2)]
            if number % 2:
                done.append(threads.submit(in_thread, partial(service.delete, "release/2")))
            else:
                service.push("release/2", START, is_full=True)
            for work in done:
                work.result(60)
            while apply_queued():
                pass
    assert all(files in [RELEASE, *versions] for files in seen)
    for branch in (MAIN, "release/1"):
        expected = service.indexed[branch]
        assert service.dump(branch) == fresh_dump(expected, with_terms=branch == MAIN)
