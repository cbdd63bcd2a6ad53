"""What is asked and what is expected: written labels, and sentences taken from doc comments."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from benchmarks.retrieval.comments import DocComment, doc_comments
from central.search.ranking.rules import path_traits
from indexer.records.files import Symbol

LABELS = Path(__file__).with_name("labels")
PER_REPOSITORY = 22
PER_FILE = 3
_SEED = "retrieval-1"
_ASIDE = frozenset({"tests", "examples", "docs", "config", "generated", "vendored"})
_NOT_A_WORD = re.compile(r"[\W_]+")


class LabelError(Exception):
    """A label names what the repository does not hold."""


class Kind(StrEnum):
    """The kind of a query. `DERIVED` is taken from a doc comment, `COMMIT` from a commit."""

    ARCHITECTURE = "architecture"
    SYMBOL = "symbol"
    NATURAL = "natural"
    DERIVED = "derived"
    COMMIT = "commit"


@dataclass(frozen=True, slots=True)
class Target:
    """Lines that a right answer overlaps; of a whole file, all of them. `gain` 2, or 1 for also."""

    path: str
    spans: tuple[tuple[int, int], ...]
    gain: int

    def is_hit(self, path: str, start: int, end: int) -> bool:
        """Return whether a chunk overlaps it."""
        return path == self.path and any(
            start <= last and end >= first for first, last in self.spans
        )


@dataclass(frozen=True, slots=True)
class Query:
    """A text asked of one repository, and its targets."""

    repository: str
    text: str
    kind: Kind
    targets: tuple[Target, ...]


def written_queries(repository: str, symbols: Mapping[str, Sequence[Symbol]]) -> list[Query]:
    """Return the queries of `labels/<repository>.toml`. `symbols` by path. Raises LabelError."""
    file = LABELS / f"{repository}.toml"
    if not file.exists():
        return []
    rows = tomllib.loads(file.read_text(encoding="utf-8"))["query"]
    return [
        Query(
            repository,
            row["text"],
            Kind(row["class"]),
            tuple(
                target_of(place, symbols, gain)
                for gain, places in ((2, row["expected"]), (1, row.get("also", [])))
                for place in places
            ),
        )
        for row in rows
    ]


def target_of(place: str, symbols: Mapping[str, Sequence[Symbol]], gain: int) -> Target:
    """Return the target that `path` or `path:Name` means. Raises LabelError."""
    path, _, name = place.partition(":")
    if path not in symbols:
        raise LabelError(f"{place}: there is no such file in the index")
    if not name:
        return whole_file(path, gain)
    wanted = name.replace("::", ".").replace("#", ".")
    spans = tuple(
        (symbol.span.start, symbol.span.end)
        for symbol in symbols[path]
        if symbol.name == wanted or f".{symbol.qualified_name}".endswith(f".{wanted}")
    )
    if not spans:
        raise LabelError(f"{place}: the file defines no such symbol")
    return Target(path, spans, gain)


def whole_file(path: str, gain: int) -> Target:
    """Return the target that any of a file's lines meets."""
    return Target(path, ((1, 1_000_000_000),), gain)


def is_aside(path: str) -> bool:
    """Return whether a file holds tests, documents or the like, which nothing is asked of."""
    return bool(path_traits(path).kinds & _ASIDE)


def digest(*parts: str) -> bytes:
    """Return the bytes by which samples are ordered: the same draw each time."""
    return sha256("\0".join(parts).encode()).digest()


def sampled_comments(repository: str, files: Mapping[str, bytes]) -> list[DocComment]:
    """Return doc comments whose sentence occurs once in all files, in the order of a digest."""
    found = [
        comment
        for path, content in files.items()
        if not is_aside(path)
        for comment in doc_comments(path, content)
    ]
    everything = " ".join(_words(content.decode(errors="replace")) for content in files.values())
    chosen: list[DocComment] = []
    in_file: Counter[str] = Counter()
    for comment in sorted(found, key=lambda one: _place_in_draw(repository, one)):
        if len(chosen) == PER_REPOSITORY:
            break
        is_unique = everything.count(_words(comment.sentence)) == 1
        if is_unique and in_file[comment.path] < PER_FILE:
            in_file[comment.path] += 1
            chosen.append(comment)
    return chosen


def derived_queries(repository: str, comments: Iterable[DocComment]) -> list[Query]:
    """Return a query for each comment; its definition is what is expected."""
    return [
        Query(
            repository,
            comment.sentence,
            Kind.DERIVED,
            (Target(comment.path, ((comment.definition.start, comment.definition.end),), 2),),
        )
        for comment in comments
    ]


def _words(text: str) -> str:
    return _NOT_A_WORD.sub(" ", text).strip().lower()


def _place_in_draw(repository: str, comment: DocComment) -> bytes:
    return digest(_SEED, repository, comment.path, comment.qualified_name, comment.sentence)
