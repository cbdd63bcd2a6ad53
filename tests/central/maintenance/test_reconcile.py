"""The reconcile finds what is missing and in excess, puts it right, and retires leftovers."""

import json
from contextlib import closing
from datetime import timedelta
from types import ModuleType
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from central.corpus.backends import collection_of, vector_store
from central.corpus.dump import dump_lines
from central.corpus.models import Chunk, Embedding, TrigramPosting, TrigramSegment
from central.db import statement_timeout
from central.ingest.models import Batch, IndexRun
from central.maintenance import point_sync
from central.maintenance import reconcile as reconciling
from central.maintenance.reconcile import RepositoryReport, reconcile
from central.repositories.models import Repository
from indexer.records.vectors import TermVector
from indexer.store.base import Point
from tests.central.protocol import Api, api_of, apply_queued, file_record, unit_vector

pytestmark = pytest.mark.django_db

FILES = {"a.py": "def a\ndef aa\n", "b.py": "def b\n"}


@pytest.fixture
def api() -> Api:
    api = api_of()
    api.index(FILES)
    return api


def shop() -> Repository:
    return Repository.objects.select_related("organization").get(name="shop")


def report(*, repair: bool) -> RepositoryReport:
    (row,) = reconcile(repair=repair).repositories
    return row


def counts(row: RepositoryReport) -> tuple[int, int, int]:
    return row.missing, row.unrepairable, row.excess


def stray_point(run: UUID) -> Point:
    terms = TermVector(np.array([5], dtype=np.uint32), np.ones(1, dtype=np.float32))
    return Point(uuid4(), run, "x.py", "python", "function", unit_vector("x"), terms)


@pytest.mark.usefixtures("api")
def test_an_applied_index_is_clean() -> None:
    assert counts(report(repair=False)) == (0, 0, 0)


@pytest.mark.usefixtures("api")
def test_missing_points_are_put_back_as_they_were() -> None:
    before = dump_lines(shop())
    gone = list(Chunk.objects.values_list("point", flat=True)[:2])
    vectors = vector_store().vectors(collection_of(shop()), gone)
    vector_store().delete(collection_of(shop()), gone)
    assert '"vector":false' in "".join(dump_lines(shop()))
    assert counts(report(repair=False)) == (2, 0, 0)
    assert counts(report(repair=True)) == (2, 0, 0)
    assert counts(report(repair=False)) == (0, 0, 0)
    assert dump_lines(shop()) == before
    again = vector_store().vectors(collection_of(shop()), gone)
    assert all(np.allclose(again[point], vectors[point], atol=1e-2) for point in gone)


@pytest.mark.usefixtures("api")
def test_a_point_without_an_embedding_is_said_to_be_lost() -> None:
    chunk = Chunk.objects.order_by("pk")[0]
    vector_store().delete(collection_of(shop()), [chunk.point])
    Embedding.objects.filter(digest=bytes(chunk.digest)).delete()
    assert counts(report(repair=True)) == (1, 1, 0)


def test_points_of_ended_runs_go_and_those_of_live_ones_stay(api: Api) -> None:
    live = UUID(api.open().json()["run_id"])
    ended = UUID(api.open().json()["run_id"])
    IndexRun.objects.filter(pk=ended).update(state="failed")
    points = [stray_point(run) for run in (live, ended, uuid4())]
    vector_store().upsert(collection_of(shop()), points)
    assert counts(report(repair=False)) == (0, 0, 2)
    assert counts(report(repair=True)) == (0, 0, 2)
    left = vector_store().existing(collection_of(shop()), [point.id for point in points])
    assert left == {points[0].id}


def test_points_of_a_former_embedder_are_excess(api: Api) -> None:
    former = collection_of(shop(), "builtin/former/256")
    IndexRun.objects.update(embedder="builtin/former/256")
    vector_store().upsert(former, [stray_point(uuid4())])
    assert counts(report(repair=True)) == (0, 0, 1)
    assert list(vector_store().points(former)) == []


def test_unused_embeddings_go_after_their_retention(api: Api) -> None:
    api.queue_incremental(FILES, {"a.py": FILES["a.py"]})
    assert apply_queued() == ["applied"]
    assert reconcile(repair=True).embeddings == 0
    Embedding.objects.update(used_at=timezone.now() - timedelta(days=31))
    assert reconcile(repair=False).embeddings == 1
    assert reconcile(repair=True).embeddings == 1
    assert Embedding.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_an_embedding_that_a_stager_has_locked_is_not_waited_for(api: Api) -> None:
    api.queue_incremental(FILES, {"a.py": FILES["a.py"]})
    assert apply_queued() == ["applied"]
    Embedding.objects.update(used_at=timezone.now() - timedelta(days=31))
    stager = connection.copy()
    stager.set_autocommit(False)
    with closing(stager), statement_timeout(10):
        stager.cursor().execute("SELECT 1 FROM corpus_embedding FOR NO KEY UPDATE")
        assert reconcile(repair=True).embeddings == 0
        stager.rollback()
        assert reconcile(repair=True).embeddings == 1


def test_asking_for_a_digest_renews_its_lease(api: Api) -> None:
    Embedding.objects.update(used_at=timezone.now() - timedelta(days=31))
    run = api.open().json()
    digests = [bytes(digest).hex() for digest in Embedding.objects.values_list("digest", flat=True)]
    answer = api.request(
        "POST", f"/api/v1/index/runs/{run['run_id']}/embeddings", {"digests": [*digests, "0" * 64]}
    )
    assert answer.json() == {"known": digests}
    assert Embedding.objects.filter(used_at__gt=timezone.now() - timedelta(minutes=1)).count() == 3


def test_uploads_of_ended_runs_go(api: Api) -> None:
    run = api.open().json()
    api.put_batch(run, 1, [file_record("c.py", "def c\n")])
    assert reconcile(repair=True).uploads == 0
    IndexRun.objects.update(state="failed")
    assert reconcile(repair=True).uploads == 1
    assert not Batch.objects.exists()


@pytest.mark.parametrize(
    ("module", "step"), [(reconciling, "_reconcile_repository"), (point_sync, "collections_of")]
)
def test_another_embedder_s_run_that_is_applied_meanwhile_keeps_its_points(
    api: Api, monkeypatch: pytest.MonkeyPatch, module: ModuleType, step: str
) -> None:
    original = getattr(module, step)
    api.organization.embedder = "builtin/another/256"
    api.organization.save()

    def overtaken(*args: object) -> object:
        api.queue_full(FILES)
        assert apply_queued() == ["applied"]
        return original(*args)

    with monkeypatch.context() as patch:
        patch.setattr(module, step, overtaken)
        reconcile(repair=True)
    named = set(Chunk.objects.values_list("point", flat=True))
    assert {point for point, _ in vector_store().points(collection_of(shop()))} == named != set()


def test_a_repository_that_is_deleted_meanwhile_is_left_out(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.index(FILES, project="other")
    original = reconciling._reconcile_repository

    def overtaken(*args: Any) -> object:
        Repository.objects.filter(name="shop").delete()
        return original(*args)

    monkeypatch.setattr(reconciling, "_reconcile_repository", overtaken)
    assert [row.repository for row in reconcile(repair=False).repositories] == ["other"]


@pytest.mark.usefixtures("api")
def test_the_check_command_exits_1_with_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("reconcile", "--check")
    capsys.readouterr()
    vector_store().upsert(collection_of(shop()), [stray_point(uuid4())])
    with pytest.raises(SystemExit) as exit_info:
        call_command("reconcile", "--check")
    assert exit_info.value.code == 1
    header, row, _ = capsys.readouterr().out.splitlines()
    assert header.split()[-3:] == ["excess", "due", "differing"]
    assert row.split() == ["acme", "shop", "3", "0", "0", "1", "2", "0"]  # due: links and edges
    call_command("reconcile")
    call_command("reconcile", "--check")


@pytest.mark.usefixtures("api")
def test_a_text_index_that_lacks_files_differs_and_one_that_is_to_be_built_is_due() -> None:
    clean = report(repair=False)
    TrigramPosting.objects.all().delete()
    TrigramSegment.objects.all().delete()
    assert report(repair=False).differing == clean.differing + len(FILES)
    Repository.objects.update(text_generation=0)
    waiting = report(repair=False)
    assert (waiting.due, waiting.differing) == (clean.due + len(FILES), clean.differing)
    assert reconcile(repair=False).is_clean


@pytest.mark.usefixtures("api")
def test_the_dump_command_prints_sorted_compact_json(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("dump_index", "--organization", "acme", "--repository", "shop")
    lines = capsys.readouterr().out.splitlines()
    assert lines == sorted(lines) == dump_lines(shop())
    assert {json.loads(line)["type"] for line in lines} == {
        "file", "chunk", "symbol", "import", "export", "reference", "module", "terms",
    }  # fmt: skip
    with pytest.raises(CommandError, match="no repository"):
        call_command("dump_index", "--organization", "acme", "--repository", "ghost")
