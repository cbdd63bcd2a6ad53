"""Windows of files become lines with vectors, in the files' order."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from indexer.bundle.encode import ExtractedFile, FileLine
from indexer.errors import EmbedderUnavailableError
from indexer.pipeline import embed
from indexer.pipeline.embed import EmbeddingCache, EmbeddingStage
from indexer.records.files import FileRecord
from indexer.records.vectors import embedding_digest

SIZE = 8


def extracted(path: str, *texts: str) -> ExtractedFile:
    """A file whose chunks are these texts."""
    chunks = ",".join('{"vector":null}' for _ in texts)
    line = f'{{"path":{json.dumps(path)},"chunks":[{chunks}]}}\n'.encode()
    record = FileRecord(path, "100644", "b" * 40, 1, "python")
    file = FileLine(record, line, chunks=len(texts), symbols=0, references=0)
    return ExtractedFile(file, texts, [embedding_digest(text) for text in texts])


class Embedder:
    """Gives out when it is asked for `last`: then that and what stands after it is not done."""

    def __init__(self, last: str = "") -> None:
        self.texts: list[str] = []
        self._last = last

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        self.texts += texts
        if self._last in texts:
            done = {index: bytes(SIZE) for index in range(list(texts).index(self._last))}
            raise EmbedderUnavailableError("it is away", done=done)
        return [bytes(SIZE)] * len(texts)


@contextmanager
def stage_with(embedder: Embedder) -> Iterator[EmbeddingStage]:
    cache = EmbeddingCache(lookup=lambda _: {}, max_digests=9, embed=embedder.embed, size=SIZE)
    with EmbeddingStage(cache) as stage:
        yield stage


@pytest.fixture(autouse=True)
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed, "_WINDOW_CHUNKS", 3)


def test_files_keep_their_order_over_windows() -> None:
    files = [extracted(f"{n}.py", *(f"{n} {chunk}" for chunk in range(n % 4))) for n in range(20)]
    with stage_with(Embedder()) as stage:
        lines = list(stage.lines(files))
    assert [line.record.path for line in lines] == [f"{n}.py" for n in range(20)]
    assert all(b"null" not in line.line for line in lines)
    assert [line.embedded for line in lines] == [n % 4 for n in range(20)]


def test_equal_chunks_are_embedded_once_and_counted_once() -> None:
    embedder = Embedder()
    files = [extracted(f"{n}.py", "same", "same", f"{n}") for n in range(4)]
    with stage_with(embedder) as stage:
        lines = list(stage.lines(files))
    assert sorted(embedder.texts) == ["0", "1", "2", "3", "same"]
    assert [line.embedded for line in lines] == [2, 1, 1, 1]
    assert all(b"null" not in line.line for line in lines)


def test_after_a_problem_nothing_is_embedded_any_more() -> None:
    embedder, are_waiting = Embedder(last="c"), threading.Event()

    def files() -> Iterator[ExtractedFile]:
        for texts in ("abc", "def"):
            yield extracted(f"{texts}.py", *texts)
        are_waiting.set()
        yield extracted("ghi.py", *"ghi")

    def embed(texts: Sequence[str]) -> list[bytes]:
        assert are_waiting.wait(10)
        return embedder.embed(texts)

    cache = EmbeddingCache(lookup=lambda _: {}, max_digests=9, embed=embed, size=SIZE)
    with pytest.raises(EmbedderUnavailableError), EmbeddingStage(cache) as stage:
        list(stage.lines(files()))
    for thread in threading.enumerate():
        if thread.name.startswith("vectors"):
            thread.join(10)
    assert embedder.texts == ["a", "b", "c"]


def test_files_that_were_done_come_before_the_problem() -> None:
    files = [
        extracted("a.py", "a", "aa", "aaa"),
        extracted("b.py", "b"),
        extracted("c.py", "c", "cc"),
        extracted("d.py", "d"),
    ]
    lines: list[FileLine] = []
    with (
        pytest.raises(EmbedderUnavailableError, match="away"),
        stage_with(Embedder(last="cc")) as stage,
    ):
        lines.extend(stage.lines(files))  # which takes what comes before the error
    assert [line.record.path for line in lines] == ["a.py", "b.py"]
