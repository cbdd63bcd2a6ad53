"""What is special to the store in its own process: its life, its death and its parent's."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from indexer.errors import StoreError, StoreLockedError, StoreUnavailableError
from indexer.records.vectors import EmbedderSpec
from indexer.store.base import VectorStore
from indexer.store.edge import client
from indexer.store.edge.client import EdgeClient
from indexer.store.edge.store import EdgeStore
from tests.indexer.store.points import a_collection, a_point, dense_query, ids, unit

ROOT = Path(__file__).resolve().parents[4]
ACME = a_collection("acme")

# A parent that stores 300 points, tells its store process's id and waits.
PARENT = """
import signal
import sys
from pathlib import Path
from indexer.store.edge.client import EdgeClient
from tests.indexer.store.points import a_collection, a_point

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell ignores it
print("main module ran", flush=True)
store = EdgeClient(Path(sys.argv[1]))
store.upsert(a_collection("acme"), [a_point() for _ in range(300)])
print(store.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EdgeClient]:
    opened = EdgeClient(tmp_path / "vectors", lock_seconds=5)
    yield opened
    opened.close()


@contextmanager
def parent_process(directory: Path) -> Iterator[tuple[subprocess.Popen[str], psutil.Process]]:
    """A parent that has a store process, and that store process."""
    script = directory / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen(
        [sys.executable, str(script), str(directory / "vectors")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(ROOT)},
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "main module ran\n"
        yield parent, psutil.Process(int(parent.stdout.readline()))
        parent.kill()


def store_process(store: EdgeClient) -> psutil.Process:
    assert store.pid is not None
    return psutil.Process(store.pid)


def test_nothing_starts_before_the_first_use(store: EdgeClient) -> None:
    assert store.pid is None
    store.check()
    assert store_process(store).is_running()


def test_store_process_imports_only_what_it_needs() -> None:
    listing = "import sys, indexer.store.edge.child; print(*sys.modules)"
    names = subprocess.check_output([sys.executable, "-c", listing], cwd=ROOT, text=True).split()
    roots = {name.partition(".")[0] for name in names}
    assert {"indexer", "qdrant_edge"} <= roots
    assert not roots & {"central", "django", "numpy", "tokenizers", "tree_sitter", "git", "psycopg"}


def test_close_ends_the_process_and_releases_the_lock(tmp_path: Path) -> None:
    store = EdgeClient(tmp_path)
    store.upsert(ACME, [a_point()])
    process = store_process(store)
    store.close()
    store.close()

    assert not process.is_running()
    with pytest.raises(StoreUnavailableError, match="closed"):
        store.check()
    direct = EdgeStore(tmp_path)
    assert len(list(direct.points(ACME))) == 1
    direct.close()


def test_killed_process_fails_the_calls_under_way_and_the_next_starts_another(
    store: EdgeClient,
) -> None:
    points = [a_point() for _ in range(200)]
    store.upsert(ACME, points)
    process = store_process(store)
    process.suspend()  # so that calls are under way when it dies
    failures: list[StoreError] = []

    def search() -> None:
        try:
            store.search([ACME], [dense_query(unit(1.0))])
        except StoreError as exc:
            failures.append(exc)

    threads = [threading.Thread(target=search) for _ in range(12)]  # more than there are channels
    for thread in threads:
        thread.start()
    process.kill()
    for thread in threads:
        thread.join(timeout=30)
    assert not any(thread.is_alive() for thread in threads)

    assert {type(failure) for failure in failures} <= {StoreUnavailableError}
    assert failures
    assert store.existing(ACME, [point.id for point in points]) == {point.id for point in points}
    assert store.pid != process.pid


def test_process_that_hangs_is_killed_and_the_next_call_starts_another(
    store: EdgeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = a_point()
    store.upsert(ACME, [point])
    process = store_process(store)
    monkeypatch.setattr(client, "_CALL_SECONDS", 0.3)
    process.suspend()
    failures: list[str] = []

    def search() -> None:
        try:
            store.search([ACME], [dense_query(unit(1.0))])
        except StoreUnavailableError as exc:
            failures.append(str(exc))

    threads = [threading.Thread(target=search) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)
    assert not process.is_running()
    assert any("did not answer within" in failure for failure in failures)
    monkeypatch.undo()
    assert store.existing(ACME, [point.id]) == {point.id}


def test_store_process_that_was_killed_can_be_closed(store: EdgeClient) -> None:
    store.upsert(ACME, [a_point()])
    store_process(store).kill()
    store.close()
    assert store.pid is None


def test_interrupted_call_leaves_no_answer_to_the_next(
    store: EdgeClient,
) -> None:
    store.upsert(ACME, [a_point()])
    process = store_process(store)
    process.suspend()
    main_thread = threading.get_ident()
    interrupt = threading.Timer(0.1, signal.pthread_kill, [main_thread, signal.SIGUSR1])

    def on_signal(*_: object) -> None:
        process.resume()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGUSR1, on_signal)
    interrupt.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            list(store.points(ACME))
    finally:
        signal.signal(signal.SIGUSR1, before)
        interrupt.join(timeout=30)
    [hits] = store.search([ACME], [dense_query(unit(1.0))])
    assert len(hits.dense) == 1
    assert store.pid != process.pid


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_store_process_ends_with_its_parent_and_a_successor_waits_for_it(
    tmp_path: Path, store: EdgeClient, number: signal.Signals
) -> None:
    with parent_process(tmp_path) as (parent, process):
        process.suspend()  # as one that is slow to close
        parent.send_signal(number)
        parent.wait(timeout=30)
        resume = threading.Timer(0.3, process.resume)
        resume.start()
        assert len(list(store.points(ACME))) == 300
        resume.join(timeout=30)
        psutil.wait_procs([process], timeout=10)
        assert not process.is_running()


def test_signals_to_the_store_process_leave_it_to_its_parent(tmp_path: Path) -> None:
    with parent_process(tmp_path) as (parent, process):
        assert os.getsid(process.pid) != os.getsid(parent.pid)  # out of reach of Ctrl-C
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process.send_signal(number)
        assert process.is_running()
        assert process.status() != psutil.STATUS_ZOMBIE


def test_second_parent_is_refused_while_the_first_lives(tmp_path: Path) -> None:
    with parent_process(tmp_path):
        second = EdgeClient(tmp_path / "vectors", lock_seconds=0.1)
        with pytest.raises(StoreLockedError, match="stop the other server"):
            list(second.points(ACME))
        second.close()


def test_errors_arrive_with_their_type_and_message(store: VectorStore) -> None:
    with pytest.raises(StoreError, match="dim") as caught:
        store.upsert(a_collection("acme", embedder=EmbedderSpec("a", "b", 4)), [a_point()])
    assert type(caught.value) is StoreError
    with pytest.raises(StoreError, match="slug"):
        store.search([a_collection("../acme")], [dense_query(unit(1.0))])


def test_defect_is_raised_with_the_trace_of_the_store_process(store: EdgeClient) -> None:
    with pytest.raises(AttributeError) as caught:
        store.search([None], [dense_query(unit(1.0))])  # type: ignore[list-item]
    assert "edge/store.py" in caught.value.__notes__[0]
    store.check()


def test_directory_that_is_a_file_is_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    path.write_text("not a directory")
    store = EdgeClient(path)
    with pytest.raises(StoreUnavailableError, match="not a directory"):
        store.check()
    store.close()


def test_pages_and_slices_hold_every_point_once(store: EdgeClient) -> None:
    points = [a_point() for _ in range(2100)]
    known = [point.id for point in points]
    store.upsert(ACME, points)
    assert sorted(store.points(ACME)) == sorted((point.id, point.run) for point in points)
    assert store.existing(ACME, known) == store.vectors(ACME, known).keys() == set(known)
    store.drop(ACME)
    assert list(store.points(ACME)) == []


def test_more_threads_than_channels_are_all_answered(store: EdgeClient) -> None:
    point = a_point()
    store.upsert(ACME, [point])
    found: list[object] = []

    def search() -> None:
        for _ in range(10):
            [hits] = store.search([ACME], [dense_query(unit(1.0))])
            found.append(ids(hits.dense))

    threads = [threading.Thread(target=search) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert not any(thread.is_alive() for thread in threads)
    assert found == [[point.id]] * 200
