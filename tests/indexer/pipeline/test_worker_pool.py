"""Worker processes extract files; one that dies costs no run, and none outlives it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from indexer.bundle.decode import decode_records
from indexer.bundle.encode import ExtractedFile
from indexer.embedding.builtin import SPEC
from indexer.errors import IndexerError
from indexer.pipeline import forkserver, worker
from indexer.pipeline.tasks import extract_in_worker
from indexer.pipeline.worker_pool import Extract, WorkerPool, worker_count
from indexer.process_group import INDEXING_MEMORY_BYTES
from indexer.records.files import (
    DegradeReason,
    FileRecord,
    Removal,
    SkipReason,
    SourceFile,
    TreeEntry,
)
from indexer.records.runs import BATCH_BYTES
from indexer.records.vectors import embedding_digest

BLOB = "a" * 40
EXTRACT = partial(extract_in_worker, dimensions=SPEC.dimensions, batch_bytes=BATCH_BYTES)


several = pytest.mark.parametrize("total_bytes", [1, 10**6], ids=["one process", "several"])


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


@several
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


@several
def test_a_file_that_kills_its_process_is_cut_into_windows(total_bytes: int) -> None:
    made = records(deadly_files(), total_bytes, deadly_work)
    assert [record.path for record in made] == ["0.py", "1.py", "2.py", "deadly.py", "z.py"]
    killer = made[3]
    assert killer.degraded is DegradeReason.PARSE_FAILED
    assert killer.language == "python"
    assert killer.chunks
    assert [record.degraded for record in made if record is not killer] == [None] * 4


@several
def test_a_file_that_kills_its_process_even_as_windows_is_skipped(
    caplog: pytest.LogCaptureFixture, total_bytes: int
) -> None:
    made = records(deadly_files(), total_bytes, twice_deadly_work)
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


@several
def test_a_file_that_takes_too_much_memory_is_skipped_and_the_limit_named(
    caplog: pytest.LogCaptureFixture, total_bytes: int
) -> None:
    made = records(deadly_files(), total_bytes, greedy_work)
    assert {record.path: record.skipped for record in made if record.skipped} == {
        "deadly.py": SkipReason.UNPROCESSABLE
    }
    assert "deadly.py needs more than the 2,048 MiB of memory of the process that" in caplog.text


@several
def test_processes_that_do_not_start_end_the_run_and_are_laid_to_no_file(
    monkeypatch: pytest.MonkeyPatch, total_bytes: int
) -> None:
    forkserver.FORKSERVER.end()
    monkeypatch.setattr(forkserver, "_PROGRAM", "raise SystemExit")  # as where memory is short
    with pytest.raises(IndexerError, match="end as soon as they start"):
        records(deadly_files(), total_bytes)


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


def test_workers_whose_parent_ends_while_they_start_say_nothing() -> None:
    program = "from indexer.pipeline.forkserver import FORKSERVER\nFORKSERVER.forked()"
    ended = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, timeout=60
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


COUNTED = """
import psutil, sys
from indexer.pipeline.worker_pool import WorkerPool
from tests.indexer.pipeline.test_worker_pool import EXTRACT, source
with WorkerPool(int(sys.argv[1])) as pool:
    list(pool.extract([source("a.py", "x = 1")], EXTRACT))
    print([process.name() for process in psutil.Process().children(recursive=True)])
"""


@pytest.mark.parametrize(("workers", "pythons"), [(1, 1), (2, 3)])
def test_a_small_run_has_one_worker_and_a_large_one_forks_more_from_it(
    workers: int, pythons: int
) -> None:
    program = [sys.executable, "-c", COUNTED, str(workers)]
    counted = subprocess.run(program, capture_output=True, text=True, timeout=60, check=True)
    names = counted.stdout
    assert names.count("python") == pythons
    assert names.count("'sh'") == names.count("', '") + 1 - pythons == 1  # leads the group


GUARDED = """
import os
from indexer.config.settings import consume_environment
consume_environment()
from indexer.pipeline.worker_pool import WorkerPool
from tests.indexer.pipeline.test_worker_pool import initial_environment
for count in (1, 2):
    with WorkerPool(count) as pool:
        print(pool.submit(initial_environment).result())
"""


def initial_environment() -> str:
    return Path("/proc/self/environ").read_text()


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="Linux shows it")
def test_no_worker_is_started_with_a_secret() -> None:
    environ = {**os.environ, "AETERNA_TOKEN": "secret-token", "SHOWN": "shown"}
    shown = subprocess.run(
        [sys.executable, "-c", GUARDED],
        env=environ, capture_output=True, text=True, timeout=60, check=True,
    ).stdout  # fmt: skip
    assert shown.count("SHOWN=shown") == 2
    assert "secret-token" not in shown
