"""One file's trouble stays its own."""

import pytest

from indexer import extraction, worker
from indexer.records import DegradeReason, SkipReason, SourceFile, TreeEntry

SOURCE = b"def f():\n    return 1\n"
FILE = SourceFile(TreeEntry("f.py", "100644", "a" * 40, len(SOURCE)), SOURCE)


def failing(*_: object, **__: object) -> None:
    raise RuntimeError("unforeseen")


def test_a_file_whose_extraction_fails_is_cut_into_windows(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(extraction, "parse", failing)
    record = worker.make_record(FILE)
    assert record.degraded is DegradeReason.PARSE_FAILED
    assert [chunk.span for chunk in record.chunks] == [(1, 2)]
    assert "f.py could not be extracted" in caplog.text
    assert "unforeseen" in caplog.text


def test_a_file_that_cannot_even_be_cut_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "extract_file", failing)
    record = worker.make_record(FILE)
    assert record.skipped is SkipReason.UNPROCESSABLE
    assert (record.path, record.blob, record.size) == ("f.py", "a" * 40, len(SOURCE))
    assert not record.content
    assert not record.chunks
