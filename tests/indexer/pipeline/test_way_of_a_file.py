"""The modules that a changed file passes, from its blob to a batch.

docs/explanation/architecture.md shows them.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from indexer.bundle.encode import ExtractedFile, FileLine
from indexer.bundle.schema import FileFields
from indexer.pipeline.worker_pool import WorkerPool
from indexer.records.files import FileRecord, SourceFile
from indexer.syntax.parser import ParsedFile
from tests.indexer.central import StandIn
from tests.indexer.pipeline.test_run import run
from tests.indexer.repositories import Sandbox

FUNCTIONS = 60  # more than one chunk
SOURCE = "".join(f"def function_{n}():\n    return helper({n})\n\n" for n in range(FUNCTIONS))
ENDS = (b"function_0(", b"function_59(")  # a text with both is the whole file
FORMS = (SourceFile, ParsedFile, FileFields, ExtractedFile, FileLine)
# The batch is complete before these; the reader is the stand-in.
SENDING = {"indexer.bundle.gzip", "indexer.client.api"}
READER = {"indexer.bundle.decode", "indexer.bundle.lines", "indexer.json_values"}
# Inside a package whose entry module is counted.
INSIDE = {
    "indexer.git.command",
    "indexer.pipeline.tasks",  # only calls `worker`
    "indexer.resolution.alternatives",
    "indexer.resolution.reaching",
    "indexer.resolution.references",
    "indexer.syntax.budget",
    "indexer.syntax.source_text",
    "indexer.syntax.trees",
}
RECORDS = "indexer.records.files"  # defines what travels
AT_MOST = 15


def is_whole_file(value: object) -> bool:
    if isinstance(value, str):
        value = value.encode(errors="replace")
    if isinstance(value, bytes | bytearray):
        return all(end in value for end in ENDS)
    if isinstance(value, FileRecord):
        return bool(value.content)
    if isinstance(value, list | tuple):
        return any(map(is_whole_file, value[:20]))
    return isinstance(value, FORMS)


@contextmanager
def modules_passed() -> Iterator[set[str]]:
    """Collect the modules one of whose functions takes or returns the file, in all threads."""
    passed: set[str] = set()

    def look(frame: FrameType, event: str, result: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if not module.startswith("indexer.") or module in passed:
            return
        code = frame.f_code
        taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        values = [frame.f_locals.get(name) for name in taken] if event == "call" else [result]
        if event in {"call", "return"} and any(map(is_whole_file, values)):
            passed.add(module)

    threading.setprofile(look)
    sys.setprofile(look)
    try:
        yield passed
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def run_here(_: WorkerPool, work: Callable[..., Any], *given: Any, **more: Any) -> "Future[Any]":
    """Do the work of a worker process in this one, where it is seen."""
    future: Future[Any] = Future()
    future.set_result(work(*given, **more))
    return future


def test_a_changed_file_passes_few_modules(
    central: StandIn, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox = Sandbox(tmp_path / "shop")
    sandbox.commit("first", {"a.py": SOURCE})
    monkeypatch.setattr(WorkerPool, "submit", run_here)
    with modules_passed() as passed:
        run(central, sandbox)
    passed -= SENDING | READER | INSIDE
    assert RECORDS in passed
    assert len(passed - {RECORDS}) <= AT_MOST, sorted(passed)
