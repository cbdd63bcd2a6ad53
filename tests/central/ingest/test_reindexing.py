"""A re-index that was requested: Open says so until a run that processed every file is applied."""

from typing import Any

import pytest

from central.ingest.models import IndexRun
from central.repositories.actions import request_reindex
from central.repositories.models import Repository
from central.tenancy.audit import COMMAND
from tests.central.protocol import Api, apply_queued, commit_of, file_record, tree_of

pytestmark = pytest.mark.django_db

FILES = {"a.py": "def a\n", "b.py": "def b\n"}


@pytest.fixture
def repository(api: Api) -> Repository:
    """One that is indexed."""
    api.index(FILES)
    return Repository.objects.select_related("organization").get()


def is_requested(api: Api) -> bool:
    (project,) = api.status().json()["projects"]
    return project["reindex_requested_at"] is not None


def force(api: Api, run: dict[str, Any]) -> None:
    """What the indexer does with a run that was opened: every file, applied."""
    api.put_tree(run, tree_of(FILES))
    api.put_batch(run, 1, [file_record(path, content) for path, content in FILES.items()])
    body = api.announcement(run, mode="force", commit_sha=commit_of(FILES), batches=1)
    assert api.deliver(run, body).status_code == 202
    apply_queued()
    assert api.state(run)["state"] == "applied"


def test_a_run_of_every_file_carries_it_out(api: Api, repository: Repository) -> None:
    assert not is_requested(api)
    request_reindex(repository, actor=COMMAND)
    assert is_requested(api)
    run = api.open(commit_sha=commit_of(FILES)).json()
    assert run["reindex"]
    force(api, run)
    assert not is_requested(api)
    assert not api.open().json()["reindex"]


def test_a_run_that_was_open_already_does_not(api: Api, repository: Repository) -> None:
    run = api.open(commit_sha=commit_of(FILES)).json()
    request_reindex(repository, actor=COMMAND)
    force(api, run)
    assert is_requested(api)


def test_an_indexer_that_does_not_know_of_it_leaves_it_to_the_next(
    api: Api, repository: Repository
) -> None:
    request_reindex(repository, actor=COMMAND)
    api.queue_incremental(FILES, {**FILES, "c.py": "def c\n"})
    apply_queued()
    assert IndexRun.objects.filter(state="applied").count() == 2
    assert is_requested(api)
