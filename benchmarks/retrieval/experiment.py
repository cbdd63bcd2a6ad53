"""The sample made ready: repositories with and without the doc comments that became queries."""

import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from benchmarks.pinned import lay_out
from benchmarks.retrieval.comments import DocComment, without
from benchmarks.retrieval.corpus import Corpus, read_corpus
from benchmarks.retrieval.index import Index, Place, Prepared
from benchmarks.retrieval.queries import (
    Kind,
    Query,
    derived_queries,
    sampled_comments,
    written_queries,
)
from benchmarks.retrieval.sample import Half, SampleRepository
from scripts.local_git import commit_all

WAYS: dict[str, Callable[[Index, Prepared], list[Place]]] = {
    "BM25, whole words": lambda index, prepared: index.whole_words(prepared.asked.parsed.text),
    "BM25": lambda index, prepared: index.lexical(prepared),
    "dense": lambda index, prepared: index.dense(prepared),
    "reciprocal ranks": lambda index, prepared: index.reciprocal(prepared),
    "ours": lambda index, prepared: index.ours(prepared),
}
OURS = "ours"


@dataclass(frozen=True)
class Version:
    """Repositories of one half searched together, and what is asked of them.

    Written queries are asked of the repositories as they are, derived ones of those without the
    comments that they were taken from.
    """

    half: Half
    directories: tuple[Path, ...]
    corpora: tuple[Corpus, ...]
    queries: tuple[Query, ...]

    @cached_property
    def index(self) -> Index:
        """Of all the repositories."""
        return Index(self.corpora)

    @cached_property
    def prepared(self) -> list[Prepared]:
        """Of each query, its candidates."""
        return [self.index.prepare(query.text) for query in self.queries]


def versions(
    repositories: Iterable[SampleRepository], workspace: Path, clones: Path | None
) -> list[Version]:
    """Two of each repository."""
    found = []
    for repository in repositories:
        plain = lay_out(repository, workspace / "plain", clones=clones, cache=workspace)
        name, cache = repository.name, workspace / "corpora"
        corpus = read_corpus(name, plain, cache)
        files = {path: (plain / path).read_bytes() for path in corpus.symbols}
        comments = sampled_comments(name, files)
        bare = _without(plain, comments, workspace)
        asked = written_queries(name, corpus.symbols)
        for directory, read, queries in (
            (plain, corpus, asked),
            (bare, read_corpus(name, bare, cache), derived_queries(name, comments)),
        ):
            found.append(Version(repository.half, (directory,), (read,), tuple(queries)))
    return found


def together(single: Sequence[Version]) -> list[Version]:
    """The same queries asked of all repositories of a half at once."""
    found = []
    for half in Half:
        for is_derived in (False, True):
            own = [
                version
                for version in single
                if version.half is half
                and any((query.kind is Kind.DERIVED) is is_derived for query in version.queries)
            ]
            if own:
                found.append(
                    Version(
                        half,
                        tuple(path for version in own for path in version.directories),
                        tuple(corpus for version in own for corpus in version.corpora),
                        tuple(query for version in own for query in version.queries),
                    )
                )
    return found


def _without(plain: Path, comments: Sequence[DocComment], workspace: Path) -> Path:
    digest = sha256(repr([(one.path, one.lines) for one in comments]).encode()).hexdigest()[:12]
    directory = workspace / f"without-{digest}" / plain.name
    if directory.exists():
        return directory
    shutil.copytree(plain, directory, symlinks=True)
    for path in {comment.path for comment in comments}:
        file = directory / path
        own = [comment for comment in comments if comment.path == path]
        file.write_bytes(without(file.read_bytes(), own))
    commit_all(directory, "Without the doc comments that are asked for")
    return directory
