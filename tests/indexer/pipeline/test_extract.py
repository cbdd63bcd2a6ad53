"""One file in, one record out: golden files per language, and files that degrade."""

import json
from pathlib import Path

import pytest

from indexer.languages import Language
from indexer.languages.registry import HOSTS, PARSED, SUFFIXES
from indexer.pipeline.worker import extract_file
from indexer.records.files import ChunkType, DegradeReason, FileRecord
from indexer.syntax.parser import PARSED_BRACKETS
from tests.indexer.golden import SOURCES, extract_source, golden_path, render


def extract(path: str, content: bytes) -> FileRecord:
    return extract_file(path=path, mode="100644", blob="0" * 40, content=content)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_chunks_and_symbols_are_those_of_the_golden_file(source: Path) -> None:
    expected = json.loads(golden_path(source).read_text("utf-8"))
    assert render(extract_source(source)) == expected


def test_every_parsed_language_has_a_golden_file() -> None:
    covered = {extract_source(source).language for source in SOURCES}
    assert {language.name for language in (*PARSED, *HOSTS)} <= covered


def test_same_bytes_give_the_same_record() -> None:
    first, second = (extract_source(SOURCES[0]) for _ in range(2))
    assert render(first) == render(second)
    for one, other in zip(first.chunks, second.chunks, strict=True):
        assert one.terms.ids.tolist() == other.terms.ids.tolist()
        assert one.terms.weights.tolist() == other.terms.weights.tolist()


def test_byte_order_mark_is_dropped_and_lines_stay() -> None:
    record = extract("a.py", b"\xef\xbb\xbfdef first():\n    return 1\n")
    assert record.content.startswith("def first")
    assert [(symbol.name, symbol.span) for symbol in record.symbols] == [("first", (1, 2))]
    assert record.size == 3 + len(record.content)


def test_empty_file_has_no_chunks() -> None:
    for content in (b"", b"\n\n  \n", b"\xef\xbb\xbf"):
        record = extract("a.py", content)
        assert (record.chunks, record.symbols, record.degraded) == ((), (), None)


def test_windows_line_ends_give_the_same_lines() -> None:
    source = b"class A:\n    x = 1\n\n\ndef first():\n    return A\n"
    unix, windows = extract("a.py", source), extract("a.py", source.replace(b"\n", b"\r\n"))
    assert render(unix) == render(windows)


def test_broken_syntax_still_gives_the_definitions_around_it() -> None:
    record = extract(
        "a.py", b"def first():\n    return 1\n\n\nx = = (\n\n\ndef second(:\n    pass\n"
    )
    assert record.degraded is None
    assert "first" in {symbol.name for symbol in record.symbols}


@pytest.mark.parametrize("language", PARSED, ids=lambda language: language.name)
def test_too_many_brackets_degrade_to_windows(language: Language) -> None:
    suffix = next(suffix for suffix, one in SUFFIXES.items() if one is language)
    record = extract(f"a{suffix}", b"x = 1\n" + b"[" * (PARSED_BRACKETS + 1) + b"\n")
    assert record.language == language.name
    assert record.degraded is DegradeReason.TOO_DEEP
    assert {chunk.type for chunk in record.chunks} == {ChunkType.TEXT}
    assert record.symbols == ()


def test_text_is_cut_at_headings() -> None:
    section = "Some words about it, and then a few more of them.\n" * 20
    content = "".join(f"# Heading {number}\n\n{section}\n" for number in range(6))
    record = extract("README.md", content.encode())
    lines = content.split("\n")
    assert record.language == "markdown"
    assert len(record.chunks) == 6
    assert all(lines[chunk.span.start - 1].startswith("# ") for chunk in record.chunks)
