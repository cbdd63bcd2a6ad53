"""A repository as the indexer reads it: chunks with terms and vectors, symbols; kept in a cache."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexer.embedding import open_embedder
from indexer.embedding.builtin import SPEC
from indexer.git.repository import Repository
from indexer.lexical import AVERAGE_LENGTH, K1, B, term_id
from indexer.pipeline.fingerprint import EXTRACTOR
from indexer.pipeline.plan import selected_entries
from indexer.pipeline.worker import make_record
from indexer.records.files import FileRecord, SourceFile, Span, Symbol, line_span, split_lines
from indexer.records.vectors import Matrix, TermVector, embedder_input

_VERSION = "1"
_WHOLE_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Row:
    """A chunk without its text."""

    path: str
    language: str
    start: int
    end: int
    type: str
    name: str
    container: str


@dataclass(frozen=True, slots=True)
class Postings:
    """Term ids and weights of each chunk, one chunk after the other; `offsets` has n + 1."""

    ids: NDArray[np.uint32]
    weights: NDArray[np.float32]
    offsets: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Corpus:
    """One repository. `words` are whole words, without the indexer's splitting and fields."""

    project: str
    rows: list[Row]
    symbols: dict[str, list[Symbol]]
    terms: Postings
    words: Postings
    vectors: Matrix


def read_corpus(project: str, directory: Path, cache: Path) -> Corpus:
    """The repository's HEAD, from the cache if the same was read before by the same code."""
    repository = Repository(directory)
    try:
        digest = _digest(repository)
        file = cache / f"{project}-{digest}.npz"
        if not file.exists():
            cache.mkdir(parents=True, exist_ok=True)
            _save(_records(repository), file)
        return _load(project, file)
    finally:
        repository.close()


def read_files(directory: Path) -> dict[str, bytes]:
    """What of HEAD is text and not left out, by path."""
    repository = Repository(directory)
    try:
        files = ((file, make_record(file)) for file in _source_files(repository))
        return {file.entry.path: file.content for file, record in files if not record.skipped}
    finally:
        repository.close()


def _digest(repository: Repository) -> str:
    tree = repository.run("rev-parse", "HEAD^{tree}").decode().strip()
    return sha256(f"{_VERSION} {tree} {EXTRACTOR} {SPEC}".encode()).hexdigest()[:16]


def _source_files(repository: Repository) -> Iterator[SourceFile]:
    commit = repository.commit("HEAD")
    entries = selected_entries(repository, commit, repository.tree(commit))
    return repository.blobs.sources(entry for entry in entries if not entry.skipped)


def _records(repository: Repository) -> list[FileRecord]:
    records = [make_record(file) for file in _source_files(repository)]
    return [record for record in records if not record.skipped]


def _save(records: list[FileRecord], file: Path) -> None:
    rows, texts, inputs = [], [], []
    for record in records:
        lines = split_lines(record.content)
        for chunk in record.chunks:
            text = line_span(lines, chunk.span)
            texts.append(text)
            inputs.append(embedder_input(path=record.path, container=chunk.container, text=text))
            rows.append(
                (
                    record.path,
                    record.language,
                    *chunk.span,
                    str(chunk.type),
                    chunk.name,
                    chunk.container,
                )
            )
    symbols = [
        (record.path, s.name, s.qualified_name, s.kind, *s.span)
        for record in records
        for s in record.symbols
    ]
    terms = _postings(chunk.terms for record in records for chunk in record.chunks)
    words = _postings(_whole_words(text) for text in texts)
    paths = [record.path for record in records]
    with file.open("wb") as target:
        np.savez_compressed(
            target,
            rows=np.array(json.dumps({"rows": rows, "symbols": symbols, "paths": paths})),
            **{f"terms_{name}": getattr(terms, name) for name in Postings.__slots__},
            **{f"words_{name}": getattr(words, name) for name in Postings.__slots__},
            vectors=open_embedder(SPEC).embed_documents(inputs),
        )


def _load(project: str, file: Path) -> Corpus:
    with np.load(file) as content:
        described = json.loads(str(content["rows"]))
        symbols: dict[str, list[Symbol]] = {path: [] for path in described["paths"]}
        for path, name, qualified_name, kind, start, end in described["symbols"]:
            span = Span(start, end)
            symbols[path].append(Symbol(name, qualified_name, kind, span, "", exported=True))
        return Corpus(
            project,
            [Row(*row) for row in described["rows"]],
            symbols,
            Postings(*(content[f"terms_{name}"] for name in Postings.__slots__)),
            Postings(*(content[f"words_{name}"] for name in Postings.__slots__)),
            content["vectors"],
        )


def _postings(vectors: Iterable[TermVector]) -> Postings:
    kept = list(vectors)
    return Postings(
        np.concatenate([vector.ids for vector in kept]),
        np.concatenate([vector.weights for vector in kept]),
        np.cumsum([0, *(len(vector.ids) for vector in kept)]),
    )


def whole_words(text: str) -> Mapping[int, int]:
    """Term id → occurrences of whole words, in any case."""
    counts: dict[int, int] = {}
    for word in _WHOLE_WORD.findall(text.lower()):
        term = term_id(word)
        counts[term] = counts.get(term, 0) + 1
    return counts


def _whole_words(text: str) -> TermVector:
    counts = whole_words(text)
    ids = np.array(sorted(counts), dtype=np.uint32)
    tf = np.array([counts[term] for term in sorted(counts)], dtype=np.float64)
    norm = K1 * (1.0 - B + B * float(tf.sum()) / AVERAGE_LENGTH)
    return TermVector(ids, (tf * (K1 + 1.0) / (tf + norm)).astype(np.float32))
