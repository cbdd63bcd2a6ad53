"""Batches are staged as they arrive: their points are there before the run is applied."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from central.background import BATCHES
from central.corpus.backends import collection_of, vector_store
from central.corpus.dump import dump_lines
from central.corpus.models import Chunk, File
from central.ingest import tasks
from central.ingest.models import Batch, IndexRun
from central.ingest.services import staging
from central.ingest.services.run_lifecycle import expire_runs
from central.ingest.services.salvage import salvage_uploads
from central.ingest.services.staging import stage_uploads
from central.maintenance.reconcile import reconcile
from central.repositories.models import Repository
from central.repositories.services import retire_repository
from indexer.errors import StoreUnavailableError
from tests.central.protocol import Api, api_of, apply_queued, commit_of, file_record, tree_of

FILES = {"src/a.py": "def a\ndef aa\n", "src/b.py": "def b\n", "README.md": "# shop\n"}
WAIT_SECONDS = 60


def send(api: Api, project: str = "shop") -> dict[str, str]:
    """An open run with its tree and a batch for each file."""
    run: dict[str, str] = api.open(project, commit_sha=commit_of(FILES)).json()
    api.put_tree(run, tree_of(FILES))
    for number, (path, text) in enumerate(FILES.items(), start=1):
        assert api.put_batch(run, number, [file_record(path, text)]).status_code == 204
    return run


def deliver(api: Api, run: dict[str, str], project: str = "shop") -> None:
    announcement = api.announcement(
        run, project_id=project, commit_sha=commit_of(FILES), batches=len(FILES)
    )
    assert api.deliver(run, announcement).status_code == 202


def stage_all() -> int:
    return sum(1 for _ in iter(stage_uploads, False))


def repository(project: str = "shop") -> Repository:
    return Repository.objects.select_related("organization").get(name=project)


def points() -> set[object]:
    return {point for point, _ in vector_store().points(collection_of(repository()))}


def refuse(*_: object, **_arguments: object) -> None:
    raise StoreUnavailableError("away")


@pytest.mark.django_db
def test_an_apply_writes_no_point_that_was_staged(monkeypatch: pytest.MonkeyPatch) -> None:
    api = api_of()
    run = send(api)
    assert stage_all() == 3
    staged = points()
    assert len(staged) == 4
    deliver(api, run)
    monkeypatch.setattr(type(vector_store()), "upsert", refuse)
    assert apply_queued() == ["applied"]
    assert set(Chunk.objects.values_list("point", flat=True)) == staged


@pytest.mark.django_db
@pytest.mark.parametrize("staged", [1, 3])
def test_an_index_is_the_same_whatever_was_staged(staged: int) -> None:
    api = api_of()
    api.index(FILES, project="plain")
    run = send(api)
    for _ in range(staged):
        assert stage_uploads()
    deliver(api, run)
    assert apply_queued() == ["applied"]
    assert dump_lines(repository()) == dump_lines(repository("plain"))
    vectors = {
        project: dict(
            File.objects.filter(repository=repository(project)).values_list("path", "vector")
        )
        for project in ("shop", "plain")
    }
    assert vectors["shop"] == vectors["plain"]
    assert all(vectors["shop"].values())
    assert reconcile(repair=False).is_clean


def abandon(api: Api, run: dict[str, str]) -> None:
    path = f"/api/v1/index/runs/{run['run_id']}?reason=cancelled"
    assert api.request("DELETE", path).status_code == 204


def expire(_: Api, _run: dict[str, str]) -> None:
    IndexRun.objects.update(touched_at=timezone.now() - timedelta(days=1))
    assert expire_runs() == 1


def overtake(api: Api, run: dict[str, str]) -> None:
    deliver(api, run)
    Repository.objects.update(generation=7)
    assert apply_queued() == ["stale"]


@pytest.mark.django_db
@pytest.mark.parametrize("staged", [1, 3])
@pytest.mark.parametrize("end", [abandon, expire, overtake])
def test_a_staged_run_that_is_not_applied_leaves_nothing_behind(
    end: Callable[[Api, dict[str, str]], None], staged: int
) -> None:
    api = api_of()
    run = send(api)
    for _ in range(staged):
        assert stage_uploads()
    end(api, run)
    salvage_uploads()
    assert not points()
    assert not Batch.objects.exists()


@pytest.mark.django_db
def test_a_store_that_is_away_leaves_the_batch_to_the_apply(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api = api_of()
    run = send(api)
    with monkeypatch.context() as patch:
        patch.setattr(type(vector_store()), "upsert", refuse)
        assert not stage_uploads()
    assert not Batch.objects.exclude(file_vectors=None).exists()
    deliver(api, run)
    assert apply_queued() == ["applied"]
    assert len(points()) == 4


@pytest.mark.django_db
def test_no_batch_of_a_retired_repository_is_staged() -> None:
    send(api_of())
    retire_repository(repository())
    assert not stage_uploads()


@pytest.mark.django_db
def test_a_batch_wakes_the_worker() -> None:
    event = threading.Event()
    BATCHES.listen(event)
    send(api_of())
    assert event.is_set()


@pytest.mark.django_db
def test_the_task_stages_a_batch_when_no_run_waits() -> None:
    api = api_of()
    api.queue_full(FILES, project="waiting")
    send(api)
    tasks.stage()
    assert repository("waiting").generation == 1
    assert not Batch.objects.exclude(file_vectors=None).exists()
    tasks.stage()
    assert Batch.objects.exclude(file_vectors=None).count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("end", [abandon, expire])
def test_a_run_that_ends_while_a_batch_is_staged_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, end: Callable[[Api, dict[str, str]], None]
) -> None:
    api = api_of()
    run = send(api)
    writes, ended = threading.Event(), threading.Event()
    write = staging.write_points

    def slow(**arguments: object) -> None:
        writes.set()
        assert wait_for_blocked_delete(ended)
        write(**arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(staging, "write_points", slow)
    stager = threading.Thread(target=in_thread, args=(stage_uploads,))
    stager.start()
    assert writes.wait(WAIT_SECONDS)
    end(api, run)
    ended.set()
    stager.join(WAIT_SECONDS)
    assert IndexRun.objects.get().state in ("abandoned", "expired")
    salvage_uploads()
    assert not points()
    assert not Batch.objects.exists()


def in_thread(work: Callable[[], object]) -> None:
    try:
        work()
    finally:
        connection.close()


def wait_for_blocked_delete(ended: threading.Event) -> bool:
    """Wait until another connection waits for this one's lock, or has come through without it."""
    until = timezone.now() + timedelta(seconds=WAIT_SECONDS)
    while timezone.now() < until:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))"
            )
            if cursor.fetchone()[0] or ended.wait(0.01):
                return True
    return False
