"""One file's trouble stays its own."""

import pytest

from indexer.pipeline import worker
from indexer.records.files import DegradeReason, FileRecord, SkipReason, SourceFile, TreeEntry
from indexer.records.manifests import Ecosystem, Manifest, Pin

PYPI = Ecosystem.PYPI
SOURCE = b"def f():\n    return 1\n"
FILE = SourceFile(TreeEntry("f.py", "100644", "a" * 40, len(SOURCE)), SOURCE)


def failing(*_: object, **__: object) -> None:
    raise RuntimeError("unforeseen")


def test_a_file_whose_extraction_fails_is_cut_into_windows(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(worker, "parse", failing)
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


@pytest.mark.parametrize(
    ("content", "manifest"),
    [
        (b'[[package]]\nname = "a"\nversion = "1.0"\n', Manifest(PYPI, pins=(Pin("a", "1.0"),))),
        (b"\xff", None),
    ],
)
def test_of_a_lock_file_only_the_manifest_is_told(
    content: bytes, manifest: Manifest | None
) -> None:
    entry = TreeEntry("uv.lock", "100644", "a" * 40, len(content), SkipReason.LOCK_FILE)
    assert worker.make_record(SourceFile(entry, content)) == FileRecord(
        path="uv.lock",
        mode="100644",
        blob="a" * 40,
        size=len(content),
        skipped=SkipReason.LOCK_FILE,
        manifest=manifest,
    )


def test_a_manifest_is_indexed_as_any_other_text_and_told_of_besides() -> None:
    content = b'[project]\nname = "acme-auth"\n'
    entry = TreeEntry("pyproject.toml", "100644", "a" * 40, len(content))
    record = worker.make_record(SourceFile(entry, content))
    assert record.chunks
    assert record.manifest == Manifest(PYPI, name="acme-auth")
