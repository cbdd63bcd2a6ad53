"""Batches are staged as they arrive: their points are there before the run is applied."""

import gzip
import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from central import tasks
from central.background import BATCHES
from central.corpus.backends import collection_of, vector_store
from central.corpus.dump import dump_lines
from central.corpus.models import Chunk, File
from central.corpus.rows import ChunkPoint
from central.ingest.models import Batch, IndexRun
from central.ingest.services import claims, vectors
from central.ingest.services.run_lifecycle import expire_runs
from central.ingest.services.salvage import salvage_uploads
from central.ingest.services.vectors import stage_uploads
from central.maintenance.reconcile import reconcile
from central.repositories.models import Repository
from central.repositories.services import retire_repository
from indexer.bundle.encode import encode_records
from indexer.errors import StoreError, StoreUnavailableError
from indexer.records.vectors import Vector
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
def test_points_that_were_staged_into_another_store_are_written_again() -> None:
    api = api_of()
    run = send(api)
    assert stage_all() == 3
    vector_store().drop(collection_of(repository()))  # as after a move, or a restore
    deliver(api, run)
    assert apply_queued() == ["applied"]
    assert points() == set(Chunk.objects.values_list("point", flat=True))
    assert len(points()) == 4


@pytest.mark.django_db
def test_no_batch_of_a_retired_repository_is_staged() -> None:
    send(api_of())
    retire_repository(repository())
    assert not stage_uploads()


@pytest.mark.django_db
def test_no_batch_of_an_overtaken_run_is_staged() -> None:
    send(api_of())
    Repository.objects.update(generation=7)
    assert not stage_uploads()


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "stored_vectors", lambda **_: {})
    Batch.objects.filter(run__repository__name="bad", number__gt=0).update(
        body=gzip.compress(encode_records([file_record("a.py", "def a\n", has_vectors=False)])),
        rows_format="",
    )


def corrupt(_: pytest.MonkeyPatch) -> None:
    Batch.objects.filter(run__repository__name="bad", number__gt=0).update(
        body=b"no gzip", rows_format=""
    )


def damage(_: pytest.MonkeyPatch) -> None:
    Batch.objects.filter(run__repository__name="bad", number__gt=0).update(
        rows=gzip.compress(b"no rows")
    )


def refuse_points(monkeypatch: pytest.MonkeyPatch) -> None:
    bad, write = repository("bad").pk, vectors.write_points

    def refuses(run: IndexRun, *arguments: Any) -> None:
        if run.repository_id == bad:
            raise StoreError("wrong dimensions")
        write(run, *arguments)

    monkeypatch.setattr(vectors, "write_points", refuses)


@pytest.mark.django_db
@pytest.mark.parametrize("spoil", [forget, corrupt, damage, refuse_points])
def test_a_batch_that_cannot_be_staged_keeps_no_other_from_it(
    monkeypatch: pytest.MonkeyPatch, spoil: Callable[[pytest.MonkeyPatch], None]
) -> None:
    api = api_of()
    send(api, "bad")
    send(api)
    spoil(monkeypatch)
    assert stage_all() == 3
    assert len(points()) == 4


@pytest.mark.django_db
def test_a_large_run_leaves_room_for_others() -> None:
    api = api_of()
    send(api, "first")
    send(api)
    assert stage_uploads()
    assert stage_uploads()
    staged = Batch.objects.exclude(file_vectors=None)
    assert set(staged.values_list("run__repository__name", "number")) == {("first", 1), ("shop", 1)}


@pytest.mark.django_db
def test_the_vectors_of_a_batch_are_in_memory_a_few_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vectors, "_ROWS", 2)
    api = api_of()
    run = api.open(commit_sha=commit_of(FILES)).json()
    api.put_tree(run, tree_of(FILES))
    records = [file_record(path, text) for path, text in FILES.items()]
    assert api.put_batch(run, 1, records).status_code == 204
    sizes: list[int] = []
    read = vectors._vectors

    def counted(run: IndexRun, items: Sequence[ChunkPoint]) -> dict[bytes, Vector]:
        sizes.append(len(items))
        return read(run, items)

    monkeypatch.setattr(vectors, "_vectors", counted)
    assert stage_all() == 1
    assert sizes == [2, 2]
    assert len(points()) == 4


@pytest.mark.django_db(transaction=True)
def test_an_apply_renews_its_lease_while_it_stages_a_batch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vectors, "_ROWS", 2)
    monkeypatch.setattr(claims.RunClaim, "beat_seconds", -1)
    api_of().queue_full(FILES)
    leases: list[datetime | None] = []
    write = vectors.write_points

    def seen(*arguments: Any) -> None:
        assert not connection.in_atomic_block
        leases.append(IndexRun.objects.get().lease_until)
        write(*arguments)

    monkeypatch.setattr(vectors, "write_points", seen)
    assert apply_queued() == ["applied"]
    assert len(leases) == len(set(leases)) == 2


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


def test_a_message_whose_batch_killed_a_worker_does_not_come_again() -> None:
    assert tasks.apply_run.acks_late
    assert not tasks.stage.acks_late


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("end", [abandon, expire])
def test_a_run_that_ends_while_a_batch_is_staged_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, end: Callable[[Api, dict[str, str]], None]
) -> None:
    api = api_of()
    run = send(api)
    writes, ended = threading.Event(), threading.Event()
    write = vectors.write_points

    def slow(*arguments: Any) -> None:
        writes.set()
        assert wait_for_blocked_delete(ended)
        write(*arguments)

    monkeypatch.setattr(vectors, "write_points", slow)
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


@pytest.mark.django_db(transaction=True)
def test_staging_that_is_stopped_keeps_no_lock(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """The apply of its run would wait for it as long as TCP does."""
    seen: list[str] = []
    run = send(api)

    def stage(batch: Batch) -> bool:
        with connection.cursor() as cursor:
            for name in ("idle_in_transaction_session_timeout", "application_name"):
                cursor.execute(f"SHOW {name}")
                seen.append(cursor.fetchone()[0])
        return True

    monkeypatch.setattr(vectors, "_could_stage", stage)
    assert stage_uploads()
    assert seen == ["5min", f"aeterna writes {run['run_id']}"]


@pytest.mark.django_db
def test_an_apply_reports_while_it_writes_points_to_a_slow_store(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After two minutes without a report its run is taken from it."""
    api = api_of()
    api.queue_full({"a.py": "".join(f"def f{number}\n" for number in range(1_000))})
    calls: list[str] = []
    upsert, report = type(vector_store()).upsert, claims.RunClaim.report

    def written(*arguments: Any) -> None:
        calls.append("upsert")
        upsert(*arguments)

    def reported(*arguments: Any) -> None:
        calls.append("report")
        report(*arguments)

    monkeypatch.setattr(type(vector_store()), "upsert", written)
    monkeypatch.setattr(claims.RunClaim, "report", reported)
    assert apply_queued() == ["applied"]
    between = [list(same) for call, same in groupby(calls) if call == "upsert"]
    assert max(map(len, between)) == 1
