"""Applying a run: what is stored, what is removed, and what never is half done."""

import errno
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from uuid import uuid4

import psycopg
import pytest
from django.apps import apps
from django.db import OperationalError, connection
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from central.corpus.backends import collection_of, vector_store
from central.corpus.dump import dump_lines
from central.corpus.models import Chunk, Embedding, File, TermStat
from central.ingest.models import Batch, IndexRun
from central.ingest.services import apply_run as applying
from central.ingest.services import claims, stored_batches, vectors
from central.ingest.services.salvage import salvage_uploads
from central.ingest.services.vectors import EmbeddingGoneError
from central.repositories.models import Repository
from indexer.errors import StoreError, StoreFullError, StoreLockedError, StoreUnavailableError
from indexer.pipeline.versions import NEWEST
from indexer.records.extractors import MANIFESTS
from indexer.records.files import GeneratedBy, SkipReason, TreeEntry
from indexer.records.manifests import Ecosystem, Manifest
from tests.central.protocol import (
    EXTRACTOR,
    Api,
    api_of,
    apply_queued,
    apply_run,
    claim_run,
    commit_of,
    file_record,
    skipped_record,
    tree_of,
)
from tests.property_settings import examples

pytestmark = pytest.mark.django_db

FILES = {"src/a.py": "def a\ndef aa\n", "src/b.py": "def b\n", "README.md": "# shop\n"}


@pytest.fixture
def api() -> Api:
    return api_of()


def repository_of(api: Api, project: str = "shop") -> Repository:
    return Repository.objects.select_related("organization").get(
        organization=api.organization, name=project
    )


def dump(api: Api, project: str = "shop") -> list[str]:
    return dump_lines(repository_of(api, project))


def points_of(api: Api, project: str = "shop", embedder: str | None = None) -> set[object]:
    collection = collection_of(repository_of(api, project), embedder)
    return {point for point, _ in vector_store().points(collection)}


def points_after_salvage(api: Api) -> set[object]:
    """What is left once the worker has gone through the uploads of runs that were not applied."""
    salvage_uploads()
    return points_of(api)


def named_points(api: Api, project: str = "shop") -> set[object]:
    chunks = Chunk.objects.filter(repository=repository_of(api, project))
    return set(chunks.values_list("point", flat=True))


def test_a_full_run_is_stored_and_every_chunk_has_its_point(api: Api) -> None:
    run = api.index(FILES)
    assert api.state(run)["state"] == "applied"
    assert api.state(run)["progress"]["percent"] == 100
    lines = dump(api)
    assert sum('"type":"file"' in line for line in lines) == 3
    chunks = [line for line in lines if '"type":"chunk"' in line]
    assert len(chunks) == 4
    assert all('"vector":true' in line for line in chunks)
    repository = repository_of(api)
    assert (repository.generation, repository.files, repository.chunks) == (1, 3, 4)
    assert repository.languages == {"python": 3}
    assert repository.last_indexed_commit == commit_of(FILES)
    assert not Batch.objects.filter(run_id=run["run_id"]).exists()


TREES = st.dictionaries(
    st.sampled_from(["a.py", "b.py", "dir/c.py", "dir/d.py", "é.py"]),
    st.lists(st.sampled_from(["def f", "def g x", "return x", "x y z"]), max_size=4).map(
        lambda lines: "".join(f"{line}\n" for line in lines)
    ),
    max_size=5,
)


@examples(15)
@given(history=st.lists(TREES, min_size=2, max_size=4))
def test_incremental_runs_end_where_a_full_one_does(history: list[dict[str, str]]) -> None:
    api = api_of()
    api.index(history[0])
    for before, files in pairwise(history):
        api.queue_incremental(before, files)
        assert apply_queued() == ["applied"]
    api.index(history[-1], project="fresh")
    assert dump(api) == dump(api, "fresh")
    assert points_of(api) == named_points(api)


def test_a_full_run_removes_what_the_tree_lacks_and_keeps_what_did_not_change(api: Api) -> None:
    api.index(FILES)
    kept = File.objects.get(repository=repository_of(api), path="src/b.py").pk
    files = {"src/b.py": "def b\n", "new.py": "def n\n"}
    run = api.queue_full(files)
    assert IndexRun.objects.get(pk=run["run_id"]).batch_set.get(number=1).files == 1
    assert apply_queued() == ["applied"]
    rows = dict(File.objects.filter(repository=repository_of(api)).values_list("path", "pk"))
    assert rows.keys() == files.keys()
    assert rows["src/b.py"] == kept
    assert points_of(api) == named_points(api)


def test_another_extractor_makes_every_file_changed(api: Api) -> None:
    api.index(FILES)
    run = api.open(extractor="extractor-2").json()
    assert (run["base_extractor"], run["generation"]) == ("extractor-1", 1)
    assert set(api.put_tree(run, tree_of(FILES)).json()["changed"]) == set(FILES)


PARTS = {
    "a.py": {"language": "python"},
    "b.go": {"language": "go"},
    "c.vue": {"language": "vue"},
    "go.mod": {"language": "go-mod", "manifest": Manifest(Ecosystem.GO, "example.org/b")},
    "odd": {"language": "", "skipped": SkipReason.BINARY, "content": ""},
}


@pytest.mark.parametrize(
    ("extractor", "changed"),
    [
        ("extractor-1", []),
        ("extractor-1 go=2", ["b.go"]),
        ("extractor-1 rust=2", []),
        ("extractor-1 hosts=2", ["c.vue"]),
        ("extractor-1 typescript=2", ["c.vue"]),
        ("extractor-1 manifests=2", ["go.mod"]),
        ("extractor-1 go-mod=2 selection=2", ["go.mod", "odd"]),
        ("extractor-2 go=2", [*PARTS]),
        ("extractor-1 of another form", [*PARTS]),
    ],
)
def test_a_part_of_the_extractor_makes_its_own_files_changed_once(
    api: Api, extractor: str, changed: list[str]
) -> None:
    records = [replace(file_record(path, ""), **parts) for path, parts in PARTS.items()]
    tree = [TreeEntry(one.path, one.mode, one.blob, one.size) for one in records]
    for said, expected in ((EXTRACTOR, [*PARTS]), (extractor, changed), (extractor, [])):
        run = api.open(extractor=said).json()
        assert sorted(api.put_tree(run, tree).json()["changed"]) == sorted(expected)
        batch = [one for one in records if one.path in expected]
        batches = [api.put_batch(run, 1, batch).status_code] if batch else []
        api.deliver(run, api.announcement(run, batches=len(batches)))
        assert apply_queued() == ["applied"]


def test_a_file_with_the_name_of_a_new_manifest_is_read_once(api: Api) -> None:
    """An indexer that did not know the name has read it as text, or skipped it as a lock file."""
    texts = ["app.py", "ci/environment.yml", "deno.json", "pom.xml"]
    earlier = {path: file_record(path, "") for path in texts}
    earlier["deno.lock"] = skipped_record("deno.lock", SkipReason.LOCK_FILE)
    earlier["vendor/pom.xml"] = skipped_record("vendor/pom.xml", SkipReason.VENDORED)
    read = Manifest(Ecosystem.NPM)
    now = {path: replace(one, manifest=read) for path, one in earlier.items()}
    tree = [
        TreeEntry(one.path, one.mode, one.blob, one.size, one.skipped) for one in earlier.values()
    ]
    manifests = ["ci/environment.yml", "deno.json", "deno.lock", "pom.xml"]
    newest = f"{EXTRACTOR} manifests={NEWEST.versions[MANIFESTS]}"
    for said, records, expected in (
        (EXTRACTOR, earlier, [*earlier]),
        (f"{EXTRACTOR} manifests=1", earlier, []),
        (newest, now, manifests),
        (newest, now, []),
    ):
        run = api.open(extractor=said).json()
        changed = api.put_tree(run, tree).json()["changed"]
        assert sorted(changed) == sorted(expected)
        batch = [records[path] for path in changed]
        batches = [api.put_batch(run, 1, batch).status_code] if batch else []
        api.deliver(run, api.announcement(run, batches=len(batches)))
        assert apply_queued() == ["applied"]


def test_another_embedder_re_embeds_and_leaves_no_old_point(api: Api) -> None:
    files = {"a.py": "def a\n"}
    old = api.organization.embedder
    api.organization.embedder = "builtin/another/256"
    api.organization.save()
    first = api.queue_full(files)
    assert apply_queued() == ["applied"]
    assert first["embedder"]["model"] == "another"
    api.organization.embedder = old
    api.organization.save()
    api.queue_full(files)
    assert apply_queued() == ["applied"]
    assert points_of(api, embedder="builtin/another/256") == set()
    assert points_of(api) == named_points(api) != set()


def test_a_new_embedder_asks_for_all_but_unchanged_skipped_files(api: Api) -> None:
    run = api.open(commit_sha="b" * 40).json()
    tree = [*tree_of({"a.py": "def a\n"}), _entry_of_skipped("logo.png")]
    api.put_tree(run, tree)
    api.put_batch(run, 1, [file_record("a.py", "def a\n"), skipped_record("logo.png")])
    api.deliver(run, api.announcement(run, commit_sha="b" * 40))
    assert apply_queued() == ["applied"]
    assert repository_of(api).skipped == 1
    api.organization.embedder = "builtin/another/256"
    api.organization.save()
    again = api.open(commit_sha="b" * 40).json()
    assert api.put_tree(again, tree).json() == {"changed": ["a.py"], "removed": 0}


def test_generated_files_are_counted_and_have_no_chunks(api: Api) -> None:
    written = file_record("a.py", "def a\n")
    made = replace(file_record("b.py", "def b\n"), chunks=(), generated=GeneratedBy.CONTENT)
    api.index({"a.py": "def a\n", "b.py": "def b\n"})
    assert (repository_of(api).generated, repository_of(api).chunks) == (0, 2)
    for commit, records, expected in (
        ("b" * 40, [written, made], (2, 1, 1, 2)),
        ("c" * 40, [written, file_record("b.py", "def b\n")], (2, 0, 2, 2)),
    ):
        run = api.open(commit_sha=commit).json()
        api.put_batch(run, 1, records)
        api.deliver(run, api.announcement(run, mode="force", commit_sha=commit))
        assert apply_queued() == ["applied"]
        now = repository_of(api)
        assert (now.files, now.generated, now.chunks, now.symbols) == expected
        assert points_of(api) == named_points(api)


def _entry_of_skipped(path: str) -> TreeEntry:
    record = skipped_record(path)
    return TreeEntry(path, record.mode, record.blob, record.size, record.skipped)


def test_a_forced_run_replaces_everything(api: Api) -> None:
    api.index(FILES)
    before = named_points(api)
    run = api.open(commit_sha=commit_of(FILES)).json()
    api.put_batch(run, 1, [file_record(path, text) for path, text in list(FILES.items())[:2]])
    api.deliver(run, api.announcement(run, mode="force", commit_sha=commit_of(FILES)))
    assert apply_queued() == ["applied"]
    assert not before & named_points(api)
    assert set(
        File.objects.filter(repository=repository_of(api)).values_list("path", flat=True)
    ) == {
        "src/a.py",
        "src/b.py",
    }
    assert points_of(api) == named_points(api)


def test_the_second_of_two_runs_ends_stale_and_leaves_no_trace(api: Api) -> None:
    one = api.open(commit_sha=commit_of(FILES)).json()
    two = api.open(commit_sha="b" * 40).json()
    for run, commit in ((one, commit_of(FILES)), (two, "b" * 40)):
        api.put_tree(run, tree_of(FILES))
        api.put_batch(run, 1, [file_record(path, text) for path, text in FILES.items()])
        assert api.deliver(run, api.announcement(run, commit_sha=commit)).status_code == 202
    assert apply_queued() == ["applied", "stale"]
    assert "plan again" in api.state(two)["error"]
    assert repository_of(api).last_indexed_commit == commit_of(FILES)
    assert points_of(api) == named_points(api)
    assert not Batch.objects.filter(run_id=two["run_id"]).exists()


def test_a_run_overtaken_while_its_vectors_travel_removes_them(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.index(FILES)
    api.queue_incremental(FILES, {**FILES, "c.py": "def c\n"})
    stage = vectors.prepare_vectors

    def overtaken(**arguments: object) -> None:
        stage(**arguments)  # type: ignore[arg-type]
        Repository.objects.filter(pk=repository_of(api).pk).update(generation=7)

    monkeypatch.setattr(applying, "prepare_vectors", overtaken)
    before = dump(api)
    assert apply_queued() == ["stale"]
    assert dump(api) == before
    assert points_after_salvage(api) == named_points(api)


def test_a_changed_path_that_did_not_come_fails_the_run(api: Api) -> None:
    run = api.open(commit_sha=commit_of(FILES)).json()
    api.put_tree(run, tree_of(FILES))
    api.put_batch(run, 1, [file_record("src/a.py", FILES["src/a.py"])])
    assert api.deliver(run, api.announcement(run, commit_sha=commit_of(FILES))).status_code == 202
    assert apply_queued() == ["failed"]
    assert "2 changed paths of the tree did not come" in api.state(run)["error"]
    assert not File.objects.filter(repository=repository_of(api)).exists()
    assert points_after_salvage(api) == set()


def test_a_path_that_the_tree_lacks_fails_the_run(api: Api) -> None:
    run = api.open(commit_sha="c" * 40).json()
    api.put_tree(run, tree_of({"a.py": "def a\n"}))
    api.put_batch(run, 1, [file_record("a.py", "def a\n"), file_record("b.py", "def b\n")])
    api.deliver(run, api.announcement(run, commit_sha="c" * 40))
    assert apply_queued() == ["failed"]
    assert "the tree does not have" in api.state(run)["error"]


@pytest.mark.parametrize("change", [{"blob": "0" * 40}, {"mode": "100755"}])
def test_a_record_that_is_not_its_tree_line_s_fails_the_run(
    api: Api, change: dict[str, str]
) -> None:
    run = api.open(commit_sha="c" * 40).json()
    api.put_tree(run, tree_of({"a.py": "def a\n"}))
    api.put_batch(run, 1, [replace(file_record("a.py", "def a\n"), **change)])
    api.deliver(run, api.announcement(run, commit_sha="c" * 40))
    assert apply_queued() == ["failed"]
    assert "'a.py' came with another mode or blob than the tree" in api.state(run)["error"]
    assert not File.objects.filter(repository=repository_of(api)).exists()
    assert points_after_salvage(api) == set()


def test_a_known_vector_is_taken_from_another_repository(api: Api) -> None:
    api.index({"a.py": "def a\n"})
    run = api.open("other", commit_sha="d" * 40).json()
    api.put_tree(run, tree_of({"lib/a.py": "def a\n"}))
    bare = file_record("lib/a.py", "def a\n", has_vectors=False)
    assert api.put_batch(run, 1, [bare]).status_code == 204
    api.deliver(run, api.announcement(run, project_id="other", commit_sha="d" * 40))
    assert apply_queued() == ["applied"]
    assert points_of(api, "other") == named_points(api, "other") != set()
    assert Embedding.objects.filter(repository=repository_of(api, "other")).count() == 1


def test_document_frequencies_are_those_of_the_chunks(api: Api) -> None:
    api.index({"a.py": "x y\nx z\n", "b.py": "x\n"})
    api.queue_incremental({"a.py": "x y\nx z\n", "b.py": "x\n"}, {"a.py": "x y\n"})
    apply_queued()
    counts = TermStat.objects.filter(repository=repository_of(api))
    assert sorted(counts.values_list("chunks", flat=True)) == [1, 1]


@pytest.mark.parametrize(
    "error", [StoreUnavailableError("away"), StoreLockedError("held"), OperationalError("away")]
)
def test_an_outage_costs_no_attempt_and_the_run_goes_on_after_it(
    api: Api, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    run = api.queue_full(FILES)

    def away(**arguments: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(applying, "prepare_vectors", away)
        assert apply_queued() == [None]
    row = IndexRun.objects.get(pk=run["run_id"])
    assert (row.state, row.attempts, row.retries) == ("queued", 0, 1)
    assert apply_queued() == []  # it backs off
    IndexRun.objects.update(lease_until=timezone.now())
    assert apply_queued() == ["applied"]


def full_database() -> OperationalError:
    error = OperationalError("could not extend file")
    error.__cause__ = psycopg.errors.DiskFull("could not extend file")
    return error


@pytest.mark.parametrize(
    "error", [StoreFullError("full"), full_database(), OSError(errno.ENOSPC, "no space")]
)
def test_a_full_disk_ends_the_run_and_says_so(
    api: Api, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """It would wait for ever, and what it has uploaded takes space."""
    run = api.queue_full(FILES)

    def full(*_: object, **_arguments: object) -> None:
        raise error

    monkeypatch.setattr(applying, "prepare_vectors", full)
    assert apply_queued() == ["failed"]
    row = IndexRun.objects.get(pk=run["run_id"])
    assert row.error.startswith("The disk of the service is full.")
    assert not row.batch_set.exists()


def test_batches_that_do_not_fit_in_memory_together_give_the_same_index(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.index(FILES)
    monkeypatch.setattr(stored_batches, "_KEPT_BYTES", 0)
    api.index(FILES, project="large")
    assert dump(api) == dump(api, "large")


def too_large_for_postgresql() -> OperationalError:
    error = OperationalError("index row size exceeds the maximum")
    error.__cause__ = psycopg.errors.ProgramLimitExceeded("index row size exceeds the maximum")
    return error


@pytest.mark.parametrize("error", [StoreError("refused"), too_large_for_postgresql()])
def test_a_refusal_that_lasts_counts_as_an_attempt(
    api: Api, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    run = api.queue_full(FILES)

    def refused(**arguments: object) -> None:
        raise error

    monkeypatch.setattr(applying, "prepare_vectors", refused)
    with pytest.raises(type(error)):
        apply_queued()
    row = IndexRun.objects.get(pk=run["run_id"])
    assert (row.state, row.attempts, row.retries) == ("queued", 1, 0)


def test_progress_ends_a_row_of_temporary_failures(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = api.queue_full(FILES)
    IndexRun.objects.update(retries=9)
    claim = claim_run(run_id=IndexRun.objects.get(pk=run["run_id"]).pk)
    assert claim is not None
    monkeypatch.setattr(claims.RunClaim, "beat_seconds", 0)
    claim.report("vectors", 1, 2)
    claim.requeue("away")
    row = IndexRun.objects.get(pk=run["run_id"])
    assert row.retries == 1
    assert row.lease_until is not None
    assert row.lease_until <= timezone.now() + timedelta(seconds=1)


def test_an_unexpected_error_counts_and_the_run_fails_in_the_end(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = api.queue_full(FILES)

    def broken(**arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(applying, "prepare_vectors", broken)
    for _ in range(5):
        with pytest.raises(ZeroDivisionError):
            apply_run(run_id=IndexRun.objects.get(pk=run["run_id"]).pk)
        IndexRun.objects.update(lease_until=timezone.now())
    assert apply_queued() == []
    assert api.state(run)["state"] == "failed"
    assert "5 times" in api.state(run)["error"]


def test_a_worker_whose_lease_was_taken_stops(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    run = api.queue_full(FILES)
    stage = vectors.prepare_vectors

    def slow(**arguments: object) -> None:
        stage(**arguments)  # type: ignore[arg-type]
        IndexRun.objects.update(claim=None)

    monkeypatch.setattr(applying, "prepare_vectors", slow)
    assert apply_queued() == [None]
    assert repository_of(api).generation == 0
    assert api.state(run)["state"] == "applying"


@pytest.mark.parametrize("error", [StoreFullError("full"), EmbeddingGoneError()])
def test_a_worker_that_fails_after_its_lease_was_taken_leaves_the_run_s_points(
    api: Api, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """They are those of whoever has the run now."""
    run = api.queue_full(FILES)
    stage = vectors.prepare_vectors

    def slow(**arguments: object) -> None:
        stage(**arguments)  # type: ignore[arg-type]
        IndexRun.objects.update(claim=uuid4())
        raise error

    monkeypatch.setattr(applying, "prepare_vectors", slow)
    assert apply_queued() == [None]
    assert points_of(api, embedder=IndexRun.objects.get().embedder)
    assert api.state(run)["state"] == "applying"


@pytest.mark.parametrize("rows_format", ["", "of another one"])
def test_a_batch_that_another_version_stored_gives_the_same_index(
    api: Api, rows_format: str
) -> None:
    api.index(FILES)
    api.queue_full(FILES, project="other")
    Batch.objects.update(rows=b"unreadable" if rows_format else None, rows_format=rows_format)
    assert apply_queued() == ["applied"]
    assert dump(api) == dump(api, "other")


def test_the_rows_of_a_batch_are_in_no_table_before_its_run_is_applied(api: Api) -> None:
    run = api.open().json()
    api.put_batch(run, 1, [file_record("a.py", "def a\n")])
    with connection.cursor() as cursor:
        for model in apps.get_app_config("corpus").get_models():
            cursor.execute(f"SELECT count(*) FROM {model._meta.db_table}")  # noqa: S608 - a constant
            assert cursor.fetchone() == (0,), model
    assert bytes(Batch.objects.get().rows)
