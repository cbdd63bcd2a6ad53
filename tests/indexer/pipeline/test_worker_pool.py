"""Worker processes extract files; one that dies costs no run, and none outlives it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from indexer.bundle.decode import decode_records
from indexer.bundle.encode import ExtractedFile
from indexer.embedding.builtin import SPEC
from indexer.errors import IndexerError
from indexer.limits import BATCH_BYTES, INDEXING_MEMORY_BYTES
from indexer.pipeline import worker, worker_pool
from indexer.pipeline.worker_pool import Extract, WorkerPool, extract_in_worker, worker_count
from indexer.records.files import (
    DegradeReason,
    FileRecord,
    Removal,
    SkipReason,
    SourceFile,
    TreeEntry,
)
from indexer.records.vectors import embedding_digest

BLOB = "a" * 40
EXTRACT = partial(extract_in_worker, dimensions=SPEC.dimensions, batch_bytes=BATCH_BYTES)


def source(path: str, content: str | bytes) -> SourceFile:
    data = content.encode() if isinstance(content, str) else content
    return SourceFile(TreeEntry(path, "100644", BLOB, len(data)), data)


def records(
    files: list[SourceFile], total_bytes: int = 10**6, work: Extract = EXTRACT
) -> list[FileRecord]:
    with WorkerPool(worker_count(total_bytes)) as pool:
        extracted = pool.extract(files, work)
        body = b"".join(file.file.line for file in extracted)
    read = list(decode_records(body, dimensions=SPEC.dimensions))
    assert not any(isinstance(record, Removal) for record in read)
    return [record for record in read if isinstance(record, FileRecord)]


@pytest.mark.parametrize("total_bytes", [1, 10**6], ids=["one process", "several"])
def test_records_come_in_order(total_bytes: int) -> None:
    files = [source(f"f{n}.py", f"def f{n}():\n    return {n}\n" * 400) for n in range(12)]
    made = records(files, total_bytes)
    assert [record.path for record in made] == [file.entry.path for file in files]


def test_each_chunk_comes_with_what_is_embedded_for_it_and_its_digest() -> None:
    with WorkerPool(1) as pool:
        (extracted,) = pool.extract([source("a.py", "def f():\n    return 1\n")], EXTRACT)
    assert list(extracted.inputs) == ["a\ndef f():\n    return 1"]
    assert list(extracted.digests) == [embedding_digest(text) for text in extracted.inputs]
    assert extracted.file.chunks == 1
    assert extracted.points == ()


def test_what_its_content_leaves_out_is_a_record_with_the_reason() -> None:
    (record,) = records([source("a.py", b"\0")])
    assert record == FileRecord("a.py", "100644", BLOB, 1, skipped=SkipReason.BINARY)


def test_no_files_make_no_records() -> None:
    assert records([]) == []


def deadly_work(files: Sequence[SourceFile]) -> list[ExtractedFile]:
    """As a grammar that crashes: the process is gone, unless no grammar is asked."""
    if any(file.entry.path == "deadly.py" and not file.degraded for file in files):
        os.kill(os.getpid(), signal.SIGKILL)
    return EXTRACT(files)


def twice_deadly_work(files: Sequence[SourceFile]) -> list[ExtractedFile]:
    """As content that nothing can read."""
    if any(file.entry.path == "deadly.py" for file in files):
        os.kill(os.getpid(), signal.SIGKILL)
    return EXTRACT(files)


def deadly_files() -> list[SourceFile]:
    files = [source(f"{n}.py", f"x = {n}\n") for n in range(3)]
    return [*files, source("deadly.py", "def d():\n    pass\n"), source("z.py", "z = 1\n")]


def test_a_file_that_kills_its_process_is_cut_into_windows() -> None:
    made = records(deadly_files(), work=deadly_work)
    assert [record.path for record in made] == ["0.py", "1.py", "2.py", "deadly.py", "z.py"]
    killer = made[3]
    assert killer.degraded is DegradeReason.PARSE_FAILED
    assert killer.language == "python"
    assert killer.chunks
    assert [record.degraded for record in made if record is not killer] == [None] * 4


def test_a_file_that_kills_its_process_even_as_windows_is_skipped(
    caplog: pytest.LogCaptureFixture,
) -> None:
    made = records(deadly_files(), work=twice_deadly_work)
    assert {record.path: record.skipped for record in made if record.skipped} == {
        "deadly.py": SkipReason.UNPROCESSABLE
    }
    assert [record.degraded for record in made] == [None] * 5
    assert "deadly.py crashed the process that read it again; it is skipped" in caplog.text


def greedy_work(files: Sequence[SourceFile]) -> list[ExtractedFile]:
    """As a grammar that takes memory without end; what is allocated here is never written to."""
    if any(file.entry.path == "deadly.py" for file in files):
        bytearray(INDEXING_MEMORY_BYTES)
    return EXTRACT(files)


def test_a_file_that_takes_too_much_memory_is_skipped_and_the_limit_named(
    caplog: pytest.LogCaptureFixture,
) -> None:
    made = records(deadly_files(), work=greedy_work)
    assert {record.path: record.skipped for record in made if record.skipped} == {
        "deadly.py": SkipReason.UNPROCESSABLE
    }
    assert "deadly.py needs more than the 2,048 MiB of memory of the process that" in caplog.text


def dead_on_arrival(_group: int) -> None:
    """As where memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_processes_that_do_not_start_end_the_run_and_are_laid_to_no_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_pool, "_prepare", dead_on_arrival)
    with pytest.raises(IndexerError, match="end as soon as they start"):
        records(deadly_files())


def held_up(_files: Sequence[SourceFile]) -> list[ExtractedFile]:
    """As a parser in C that does not come back: no thread of the process is heard of again."""
    print("made", flush=True)  # noqa: T201
    re.match("(a*)*b", "a" * 60)
    return []


def test_workers_do_not_outlive_a_process_that_is_killed() -> None:
    program = (
        "import sys, time\n"
        "from indexer.pipeline.worker_pool import WorkerPool\n"
        "from tests.indexer.pipeline.test_worker_pool import EXTRACT, source\n"
        "with WorkerPool(2) as pool:\n"
        "    list(pool.extract([source('a.py', 'x = 1')], EXTRACT))\n"
        "    print('made', flush=True)\n"
        "    time.sleep(60)\n"
    )
    killed = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert killed.stdout is not None
    assert killed.stdout.readline() == b"made\n"
    killed.kill()
    killed.communicate(timeout=30)  # which ends when nobody holds the pipe any more


def test_workers_that_are_held_up_do_not_outlive_a_process_that_is_killed() -> None:
    program = (
        "from indexer.pipeline.worker_pool import WorkerPool\n"
        "from tests.indexer.pipeline.test_worker_pool import held_up, source\n"
        "with WorkerPool(1) as pool:\n"
        "    list(pool.extract([source('a.py', 'x = 1')], held_up))\n"
    )
    killed = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert killed.stdout is not None
    assert killed.stdout.readline() == b"made\n"
    killed.kill()
    killed.communicate(timeout=30)


def test_a_worker_imports_neither_git_nor_http() -> None:
    text = Path(worker.__file__).read_text()
    assert "indexer.git.repository" not in text
    assert "httpx" not in text


def test_who_is_interrupted_while_processes_start_ends_once_they_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    starts: list[Future[Any]] = []

    class Interrupted(ProcessPoolExecutor):
        def submit(self, work: Callable[..., Any], *arguments: Any, **more: Any) -> Future[Any]:
            signal.raise_signal(signal.SIGINT)
            starts.append(super().submit(work, *arguments, **more))
            return starts[-1]

    monkeypatch.setattr(worker_pool, "ProcessPoolExecutor", Interrupted)
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            WorkerPool(2)
    finally:
        signal.signal(signal.SIGINT, former)
    assert [start.result(timeout=60) for start in starts] == [0, 0]
