"""The sample made ready: three copies of each repository, and what is asked of each."""

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from benchmarks.pinned import history, lay_out
from benchmarks.retrieval.comments import DocComment, without
from benchmarks.retrieval.commits import Commit, commit_queries, read_log
from benchmarks.retrieval.corpus import Corpus, read_corpus
from benchmarks.retrieval.definitions import definition_queries
from benchmarks.retrieval.index import Index, Place, Prepared
from benchmarks.retrieval.measures import Scores, judge
from benchmarks.retrieval.queries import (
    Kind,
    Query,
    derived_queries,
    sampled_comments,
    written_queries,
)
from benchmarks.retrieval.sample import Half, SampleRepository
from central.search.ranking.rules import WEIGHTS
from scripts.local_git import commit_all, git

WAYS: dict[str, Callable[[Index, Prepared], list[Place]]] = {
    "BM25, whole words": lambda index, prepared: index.whole_words(prepared.asked.parsed.text),
    "BM25": lambda index, prepared: index.lexical(prepared),
    "dense": lambda index, prepared: index.dense(prepared),
    "reciprocal ranks": lambda index, prepared: index.reciprocal(prepared),
}
OURS = "ours"


def our_scores(
    index: Index, query: Query, prepared: Prepared, weights: Mapping[str, float] = WEIGHTS
) -> Scores:
    """Judge definitions by hits, and files by the answer that has each file once."""
    hits = index.ours(prepared, weights)
    return judge(query, hits, index.ours(prepared, weights, by_file=True))


class Copy(StrEnum):
    """Which files of a repository are searched."""

    PINNED = "pinned"
    WITHOUT_COMMENTS = "without_comments"  # that are asked for
    EARLIER = "earlier"  # before the commits that are asked for


@dataclass(frozen=True)
class Version:
    """Repositories of one half searched together, and what is asked of them."""

    half: Half
    copy: Copy
    directories: tuple[Path, ...]
    corpora: tuple[Corpus, ...]
    queries: tuple[Query, ...]

    @cached_property
    def index(self) -> Index:
        """The index of all its repositories."""
        return Index(self.corpora)

    @cached_property
    def prepared(self) -> list[Prepared]:
        """The candidates of each query."""
        return [self.index.prepare(query.text) for query in self.queries]


def versions(
    repositories: Iterable[SampleRepository], workspace: Path, clones: Path | None
) -> list[Version]:
    """Return a version for each copy of each repository."""
    found = []
    for repository in repositories:
        name, cache = repository.name, workspace / "corpora"
        plain = lay_out(repository, workspace / "plain", clones=clones, cache=workspace)
        corpus = read_corpus(name, plain, cache)
        files = {path: (plain / path).read_bytes() for path in corpus.symbols}
        comments = sampled_comments(name, files)
        bare = _without(plain, comments, workspace)
        earlier = _earlier(repository, plain, workspace, clones)
        before = read_corpus(name, earlier, cache)
        sources = {path for path, symbols in before.symbols.items() if symbols}
        commits = _commits(repository, workspace, clones)
        for copy, directory, read, queries in (
            (Copy.PINNED, plain, corpus, _written_or_drawn(corpus)),
            (
                Copy.WITHOUT_COMMENTS,
                bare,
                read_corpus(name, bare, cache),
                derived_queries(name, comments),
            ),
            (Copy.EARLIER, earlier, before, commit_queries(name, commits, sources)),
        ):
            found.append(Version(repository.half, copy, (directory,), (read,), tuple(queries)))
    return found


def together(single: Sequence[Version]) -> list[Version]:
    """Return versions that ask the same queries of all repositories of a half at once."""
    found = []
    for half in Half:
        for copy in Copy:
            own = [version for version in single if (version.half, version.copy) == (half, copy)]
            if own:
                found.append(
                    Version(
                        half,
                        copy,
                        tuple(path for version in own for path in version.directories),
                        tuple(corpus for version in own for corpus in version.corpora),
                        tuple(query for version in own for query in version.queries),
                    )
                )
    return found


def naming_projects(asked: Iterable[Version]) -> list[Version]:
    """Return versions whose queries end with the name of their project."""
    return [
        replace(
            version,
            queries=tuple(
                replace(query, text=f"{query.text} in {query.repository}")
                for query in version.queries
            ),
        )
        for version in asked
    ]


def _written_or_drawn(corpus: Corpus) -> list[Query]:
    written = written_queries(corpus.project, corpus.symbols)
    if any(query.kind is Kind.SYMBOL for query in written):
        return written
    return [*written, *definition_queries(corpus.project, corpus.symbols)]


def _earlier(
    repository: SampleRepository, plain: Path, workspace: Path, clones: Path | None
) -> Path:
    if repository.earlier == repository.commit:
        return plain
    return lay_out(repository.at_earlier, workspace / "earlier", clones=clones, cache=workspace)


def _commits(
    repository: SampleRepository, workspace: Path, clones: Path | None
) -> Iterable[Commit]:
    directory = history(repository, repository.latest, clones=clones, cache=workspace)
    output = git(
        directory,
        *("log", "--no-merges", "--no-renames", "--name-status", "--format=%x1e%H%x1f%s"),
        f"{repository.earlier}..{repository.latest}",
    )
    return read_log(output)


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
