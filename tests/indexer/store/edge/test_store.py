"""What is special to the embedded store: one process, no loss, its errors."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import qdrant_edge as qdrant

from indexer.errors import StoreError, StoreFullError, StoreLockedError, StoreUnavailableError
from indexer.records.vectors import EmbedderSpec
from indexer.store.base import PointFilter
from indexer.store.edge.shard import Shard, create_shard, edge_errors
from indexer.store.edge.store import EdgeStore
from tests.indexer.store.points import a_collection, a_point, dense_query, ids, unit

HOLDER = """
import sys
from pathlib import Path
from indexer.store.edge.store import EdgeStore
from tests.indexer.store.points import a_collection, a_point

store = EdgeStore(Path(sys.argv[1]))
store.upsert(a_collection("acme"), [a_point() for _ in range(300)])
print("stored", flush=True)
sys.stdin.read()
"""


def test_second_process_is_refused_and_a_killed_one_loses_nothing(tmp_path: Path) -> None:
    collection = a_collection("acme")
    store = EdgeStore(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"stored\n"
        with pytest.raises(StoreLockedError, match="stop the other server"):
            list(store.points(collection))
        holder.send_signal(signal.SIGKILL)

    assert len(list(store.points(collection))) == 300
    [hits] = store.search([collection], [dense_query(unit(1.0), limit=500)])
    assert len(hits.dense) == 300
    store.close()


def test_shard_cut_short_while_it_was_made_is_made_anew(tmp_path: Path) -> None:
    scratch = tmp_path / "acme" / ".new-dead" / "shard"
    create_shard(scratch, dimensions=8)
    store = EdgeStore(tmp_path)
    store.upsert(a_collection("acme"), [a_point()])
    store.optimize()
    assert len(list(store.points(a_collection("acme")))) == 1
    store.close()


def test_shard_made_by_another_first_is_kept(tmp_path: Path) -> None:
    create_shard(tmp_path / "shard", dimensions=8)
    before = sorted((tmp_path / "shard").rglob("*"))
    create_shard(tmp_path / "shard", dimensions=8)
    assert sorted((tmp_path / "shard").rglob("*")) == before


def test_shard_of_an_earlier_version_is_used_and_compacted(tmp_path: Path) -> None:
    """Its vectors are read when it is loaded, and its repositories have a tree for ranges."""
    collection = a_collection("acme")
    current = EdgeStore(tmp_path)
    current.upsert(collection, [a_point()])
    current.close()
    [path] = current.shard_paths()
    shutil.rmtree(path)
    dense = qdrant.EdgeVectorParams(
        size=8, distance=qdrant.Distance.Cosine, datatype=qdrant.VectorStorageDatatype.Turbo16
    )
    terms = {"terms": qdrant.EdgeSparseVectorParams()}
    edge = qdrant.EdgeShard.create(str(path), qdrant.EdgeConfig({"dense": dense}, terms))
    integer = qdrant.PayloadSchemaType.Integer
    edge.update(qdrant.UpdateOperation.create_field_index("repository", integer))
    edge.close()

    store = EdgeStore(tmp_path)
    store.upsert(collection, [a_point() for _ in range(50)])
    for _ in range(2):
        [hits] = store.search([collection], [dense_query(unit(1.0), limit=100)])
        assert len(hits.dense) == 50
        assert len(list(store.points(collection))) == 50
        store.optimize()
    store.close()


@pytest.mark.parametrize("repositories", [[1], [1, 2], [1, 2, 3, 4]])
def test_filter_forms_agree(tmp_path: Path, repositories: list[int]) -> None:
    """Whether few or many points are allowed decides the form of the filter, not its answer."""
    store = EdgeStore(tmp_path)
    expected = set()
    for repository in range(1, 5):
        points = [a_point(language=language) for language in ("go", "go", "go", "python")]
        store.upsert(a_collection("acme", repository), points)
        if repository in repositories:
            expected |= {point.id for point in points[:3]}

    collections = [a_collection("acme", repository) for repository in repositories]
    wanted = PointFilter(languages=("go",))
    [hits] = store.search(collections, [dense_query(unit(1.0), limit=50, filter=wanted)])
    assert set(ids(hits.dense)) == expected
    store.close()


def test_points_of_other_branches_are_beside_what_default_branches_are_searched_for(
    tmp_path: Path,
) -> None:
    store = EdgeStore(tmp_path)
    default, others = (a_collection("acme", repository) for repository in (1, -1))
    for collection in (default, others):
        store.upsert(collection, [a_point(vector=unit(1))])
    assert len(store.shard_paths()) == 2
    assert all(
        store.open_shard(path).holds_only({number})
        for path, number in zip(store.shard_paths(), (1, -1), strict=True)
    )
    [alone] = store.search([default], [dense_query(unit(1))])
    [both] = store.search([default, others], [dense_query(unit(1))])
    assert (len(alone.dense), len(both.dense)) == (1, 2)
    store.close()


def test_closed_store_is_unavailable(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path)
    store.upsert(a_collection("acme"), [a_point()])
    store.close()
    store.close()
    with pytest.raises(StoreUnavailableError, match="closed"):
        store.check()
    with pytest.raises(StoreUnavailableError, match="closed"):
        store.search([a_collection("acme")], [dense_query(unit(1.0))])
    with pytest.raises(StoreUnavailableError, match="closed"):
        store.upsert(a_collection("acme"), [a_point()])


def test_check_passes_before_and_after_the_first_write(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path / "later")
    store.check()
    store.upsert(a_collection("acme"), [a_point()])
    store.check()
    store.close()


def test_directory_that_is_a_file_is_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    path.write_text("not a directory")
    store = EdgeStore(path)
    with pytest.raises(StoreUnavailableError, match="not a directory"):
        store.check()
    with pytest.raises(StoreUnavailableError):
        store.upsert(a_collection("acme"), [a_point()])


def test_vector_of_another_length_is_refused(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path)
    with pytest.raises(StoreError, match="dim"):
        store.upsert(a_collection("acme", embedder=EmbedderSpec("a", "b", 4)), [a_point()])
    store.close()


def test_directory_that_holds_no_shard_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="refused"):
        Shard(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("foreign", "expected"),
    [
        (Exception("failed to open WAL: Kind(WouldBlock)"), StoreLockedError),
        (Exception("Shard is not initialized"), StoreUnavailableError),
        (Exception("No space left on device (os error 28)"), StoreFullError),
        (Exception("Vector dimension error"), StoreError),
        (OSError(28, "No space left on device"), StoreFullError),
        (OSError(13, "Permission denied"), StoreUnavailableError),
    ],
)
def test_foreign_errors_become_store_errors(
    tmp_path: Path, foreign: Exception, expected: type[StoreError]
) -> None:
    with pytest.raises(StoreError) as caught, edge_errors(tmp_path):
        raise foreign
    assert type(caught.value) is expected
    assert caught.value.__cause__ is foreign


def test_defect_of_the_caller_is_not_disguised(tmp_path: Path) -> None:
    with pytest.raises(TypeError), edge_errors(tmp_path):
        raise TypeError


def test_shard_is_held_until_it_is_closed(tmp_path: Path) -> None:
    create_shard(tmp_path / "shard", dimensions=8)
    first = Shard(tmp_path / "shard")
    with pytest.raises(StoreLockedError, match="stop the other server"):
        Shard(tmp_path / "shard")
    first.close()
    Shard(tmp_path / "shard").close()
