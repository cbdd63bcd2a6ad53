"""Real chunks to start from: packages that are installed here, extracted and embedded, kept."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpora import FURTHER, REFERENCE, package_directory
from indexer.embedding import open_embedder
from indexer.embedding.builtin import SPEC
from indexer.pipeline.fingerprint import EXTRACTOR
from indexer.pipeline.worker import make_record
from indexer.records.files import Chunk, FileRecord, SourceFile, TreeEntry, line_span, split_lines
from indexer.records.vectors import embedder_input

CACHE = Path("build")
PACKAGES = (*REFERENCE, *FURTHER, "pydantic", "huggingface_hub", "mcp", "setuptools", "openai")
SUFFIXES = frozenset({".py", ".pyi", ".js", ".html", ".h", ".c", ".css", ".md"})
_PACKAGE_BYTES = 1_500_000
# The first sentence of a doc comment: what a person would have asked for.
_SENTENCE = re.compile(r'"""\s*([A-Z][^".\n]{15,90})')


@dataclass(frozen=True)
class Chunks:
    """Extracted chunks; the terms of chunk i are those from `starts[i]` to `starts[i + 1]`."""

    vectors: NDArray[np.float32]
    starts: NDArray[np.int64]
    term_ids: NDArray[np.uint32]
    weights: NDArray[np.float32]
    packages: NDArray[np.int32]
    paths: NDArray[np.str_]
    languages: NDArray[np.str_]
    types: NDArray[np.str_]
    sentences: NDArray[np.str_]

    def __len__(self) -> int:
        return len(self.vectors)

    def document_frequencies(self) -> dict[int, int]:
        """In how many chunks each term occurs."""
        terms, counts = np.unique(self.term_ids, return_counts=True)
        return dict(zip(terms.tolist(), counts.tolist(), strict=True))


def installed_chunks() -> Chunks:
    """The chunks of PACKAGES, from the cache where they were extracted alike."""
    key = hashlib.sha256(f"{EXTRACTOR} {PACKAGES} {_PACKAGE_BYTES}".encode()).hexdigest()[:12]
    file = CACHE / f"stores-{key}.npz"
    if not file.exists():
        print(f"stores: extracting chunks; they are kept in {file}", flush=True)
        CACHE.mkdir(exist_ok=True)
        np.savez(file, **vars(_extract()))
    with np.load(file) as kept:
        return Chunks(**{name: kept[name] for name in kept.files})


def _extract() -> Chunks:
    read = [
        (number, record, chunk, text)
        for number, package in enumerate(PACKAGES)
        for file in _files(package)
        for record, chunk, text in _chunks(make_record(file))
    ]
    embedded = [
        embedder_input(path=record.path, container=chunk.container, text=text)
        for _, record, chunk, text in read
    ]
    terms = [chunk.terms for _, _, chunk, _ in read]
    sentences = [_SENTENCE.search(text) for *_, text in read]
    return Chunks(
        vectors=open_embedder(SPEC).embed_documents(embedded),
        starts=np.cumsum([0, *(len(one.ids) for one in terms)]),
        term_ids=np.concatenate([one.ids for one in terms]),
        weights=np.concatenate([one.weights for one in terms]),
        packages=np.array([number for number, *_ in read], np.int32),
        paths=np.array([record.path for _, record, _, _ in read]),
        languages=np.array([record.language for _, record, _, _ in read]),
        types=np.array([str(chunk.type) for _, _, chunk, _ in read]),
        sentences=np.array([found[1].strip() if found else "" for found in sentences]),
    )


def _chunks(record: FileRecord) -> Iterator[tuple[FileRecord, Chunk, str]]:
    lines = split_lines(record.content)
    for chunk in record.chunks:
        yield record, chunk, line_span(lines, chunk.span)


def _files(package: str) -> Iterator[SourceFile]:
    """Evenly spread files of a package, some megabytes in all."""
    directory = package_directory(package)
    found = sorted(path for path in (directory or Path()).rglob("*") if path.suffix in SUFFIXES)
    size = sum(path.stat().st_size for path in found) if directory else 0
    step = max(1, -(-size // _PACKAGE_BYTES))
    for path in found[::step] if directory else ():
        content = path.read_bytes()
        blob = hashlib.sha1(content, usedforsecurity=False).hexdigest()
        relative = f"{package}/{path.relative_to(directory or path)}"
        yield SourceFile(TreeEntry(relative, "100644", blob, len(content)), content)
