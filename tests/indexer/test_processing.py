"""Records are made in processes of their own, and one that dies costs no run."""

import os
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from indexer import worker
from indexer.embedding.builtin import SPEC
from indexer.processing import Processor
from indexer.records import DegradeReason, FileRecord, SkipReason, TreeEntry
from indexer.worker import SourceFile, process_files

BLOB = "a" * 40


def source(path: str, content: str | bytes) -> SourceFile:
    data = content.encode() if isinstance(content, str) else content
    return SourceFile(TreeEntry(path, "100644", BLOB, len(data)), data)


def records(files: list[SourceFile], total_bytes: int = 10**6) -> list[FileRecord]:
    with Processor(embedder=SPEC, total_bytes=total_bytes) as processor:
        return list(processor.records(files))


@pytest.mark.parametrize("total_bytes", [1, 10**6], ids=["one process", "several"])
def test_records_come_in_order_with_unit_vectors(total_bytes: int) -> None:
    files = [source(f"f{n}.py", f"def f{n}():\n    return {n}\n" * 400) for n in range(12)]
    made = records(files, total_bytes)
    assert [record.path for record in made] == [file.entry.path for file in files]
    for chunk in (chunk for record in made for chunk in record.chunks):
        assert chunk.vector is not None
        assert float(chunk.vector @ chunk.vector) == pytest.approx(1.0, abs=1e-3)


def test_what_its_content_leaves_out_is_a_record_with_the_reason() -> None:
    (record,) = records([source("a.py", b"\0")])
    assert record == FileRecord("a.py", "100644", BLOB, 1, skipped=SkipReason.BINARY)


def test_no_files_make_no_records() -> None:
    assert records([]) == []


def deadly_work(files: Sequence[SourceFile]) -> list[FileRecord]:
    """As a grammar that crashes: the process is gone, unless no grammar is asked."""
    if any(file.entry.path == "deadly.py" and not file.degraded for file in files):
        os.kill(os.getpid(), signal.SIGKILL)
    return process_files(files)


def test_a_file_that_kills_its_process_is_cut_into_windows() -> None:
    files = [source(f"{n}.py", f"x = {n}\n") for n in range(3)]
    files += [source("deadly.py", "def d():\n    pass\n"), source("z.py", "z = 1\n")]
    with Processor(embedder=SPEC, total_bytes=10**6, work=deadly_work) as processor:
        made = list(processor.records(files))
    assert [record.path for record in made] == ["0.py", "1.py", "2.py", "deadly.py", "z.py"]
    killer = made[3]
    assert killer.degraded is DegradeReason.PARSE_FAILED
    assert killer.chunks
    assert killer.chunks[0].vector is not None
    assert [record.degraded for record in made if record is not killer] == [None] * 4


def test_a_worker_imports_neither_git_nor_http() -> None:
    text = Path(worker.__file__).read_text()
    assert "indexer.git" not in text
    assert "httpx" not in text
