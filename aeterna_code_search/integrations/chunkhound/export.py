"""A project's index as a DuckDB file that ChunkHound reads: files, chunks, embeddings.

All is written to FILE.part, which replaces FILE when it is complete. If it ends while chunks are
embedded, their vectors are kept there, and the next export resumes from them.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from aeterna_code_search.client.part_file import (
    locked_part,
    mapped_errors,
    opened_database,
    replace_target,
    require_own_log,
)
from aeterna_code_search.client.target.target import IndexTarget
from aeterna_code_search.integrations.chunkhound.commit_files import CommitFile, commit_files
from aeterna_code_search.integrations.chunkhound.database_writer import (
    COMPANIONS,
    DatabaseWriter,
    Origin,
    make_empty,
    read_origin,
    writing,
)
from aeterna_code_search.integrations.chunkhound.embedding import SPEC, embedding_access
from aeterna_code_search.integrations.chunkhound.errors import CodeSearchError, MissingKeyError
from indexer.config.settings import GitCredential
from indexer.embedding import open_embedder
from indexer.embedding.base import Embedder, Usage
from indexer.errors import (
    CentralRefusedError,
    CommitNotFoundError,
    ConfigurationError,
    EmbeddingError,
    IndexerError,
    NotARepositoryError,
    not_installed,
)
from indexer.git.local import WorkingCopy
from indexer.git.repository import Repository
from indexer.output.terminal import pluralize
from indexer.pipeline.fingerprint import EXTRACTOR
from indexer.records.vectors import EmbedderConfig, EmbedderSpec, embedder_input

CHUNKHOUND_EXPORTED_CHUNKS: Final = 1_000_000  # with vectors a file of some 15 GB
_EMBEDDED_AT_ONCE: Final = 2_048


@dataclass(frozen=True, slots=True)
class Progress:
    """Callbacks for progress and totals of files read and chunks embedded, and notes."""

    read: Callable[[int, int], None]
    embedded: Callable[[int, int], None]
    note: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Exported:
    """Counts of the file and usage of the embedder. `differs`: a note if the index differs."""

    project: str
    commit: str
    files: int
    chunks: int
    embeddings: int
    differs: str = ""
    usage: Usage = field(default_factory=Usage)


class _Indexed(NamedTuple):
    """The service's status of a project's index."""

    project: str
    commit: str
    chunks: int
    dimensions: int


def open_chunk_embedder(environ: Mapping[str, str]) -> Embedder:
    """Open the embedder of chunks: the model and key of queries.

    Raises ConfigurationError if there is no key or a setting is invalid.
    """
    usual = EmbedderConfig()
    try:
        access = embedding_access(environ)
    except MissingKeyError as exc:
        raise ConfigurationError(
            f"OPENAI_API_KEY is not set, but ChunkHound needs vectors of {SPEC.model}: set it, or "
            "omit vectors with --no-embeddings"
        ) from exc
    except CodeSearchError as exc:
        raise ConfigurationError(str(exc)) from exc
    return open_embedder(
        SPEC,
        replace(  # an export is not interactive, so it may retry longer than a query
            access, timeout_seconds=usual.timeout_seconds, retry_seconds=usual.retry_seconds
        ),
    )


def export_index(
    target: IndexTarget,
    destination: Path,
    *,
    project: str | None,
    embedder: Embedder | None,
    credential: GitCredential | None,
    may_overwrite: bool,
    progress: Progress,
) -> Exported:
    """Write the index of `project`, default the target's own, to `destination`.

    The indexed commit is read from the target's checkout. `embedder` computes vectors of SPEC;
    without it the file has none. Raises ConfigurationError if the file cannot be written, or exists
    and may not be overwritten. Raises CommitNotFoundError, and IndexerError of requests.
    """
    _require_installed()
    if target.root is None:
        raise NotARepositoryError("an export needs a checkout of the repository: change to one")
    destination = destination.absolute()
    _require_destination(destination, target.root, may_overwrite=may_overwrite)
    indexed = _indexed(target, project or target.project)
    origin = Origin(
        indexed.project, indexed.commit, EXTRACTOR, str(embedder.spec) if embedder else ""
    )
    with (
        closing(_repository(target, target.root, credential)) as repository,
        locked_part(destination, is_resumable=lambda part: read_origin(part) == origin) as part,
        mapped_errors(part),
    ):
        _require_commit(repository, indexed)
        if embedder:
            embedder.check()
        is_resumed = read_origin(part) == origin
        if is_resumed:
            progress.note(f"Resuming {part}; delete it to start over.")
        else:
            make_empty(part)
        with writing(part, embedder.spec if embedder else None) as writer:
            if not is_resumed:
                writer.add_files(_counted(repository, indexed, progress), origin)
            if embedder:
                _embed(writer, embedder, progress)
            counts = writer.finish()
        for ending in COMPANIONS:  # they belong to the overwritten file
            if destination.exists():
                destination.with_name(destination.name + ending).unlink(missing_ok=True)
        replace_target(part, destination)
    return Exported(
        indexed.project,
        indexed.commit,
        *counts,
        differs=_difference(indexed, counts.chunks),
        usage=embedder.usage if embedder else Usage(),
    )


def _require_installed() -> None:
    for package in ("duckdb", "xxhash"):
        if find_spec(package) is None:
            raise ConfigurationError(not_installed(package, "chunkhound"))


def _require_destination(destination: Path, root: Path, *, may_overwrite: bool) -> None:
    """Raise ConfigurationError unless an export may be written to `destination`.

    Its path must not contain a link of the checkout `root`. An existing file must be an export,
    unless `may_overwrite`, and must not be open in another process.
    """
    if link := _link_within(root, destination):
        raise ConfigurationError(f"{link} is a symbolic link: name the file that it leads to")
    if not destination.parent.is_dir():
        raise ConfigurationError(
            f"there is no directory {destination.parent}: create it, or name another one"
        )
    if not destination.exists():
        return
    if not destination.is_file():
        raise ConfigurationError(f"{destination} is not a file: name a file")
    require_own_log(destination)
    _require_unused(destination)
    if not may_overwrite and read_origin(destination) is None:
        raise ConfigurationError(
            f"{destination} exists already and is not an export: overwrite it with --force, or "
            "name another file"
        )


def _link_within(root: Path, destination: Path) -> Path | None:
    """Return the first symbolic link below `root` on the path to the file, or the file itself."""
    way = [destination, *destination.parents]
    top = root.resolve()
    tops = (at for at, path in enumerate(way) if not path.is_symlink() and path.resolve() == top)
    below = way[: next(tops, 1)]
    return next((path for path in reversed(below) if path.is_symlink()), None)


def _require_unused(destination: Path) -> None:
    """Raise ConfigurationError if a process has the file open: it would write to a deleted file."""
    import duckdb

    try:
        with opened_database(destination, read_only=True):
            return
    except duckdb.IOException as error:
        if "lock" in str(error):
            raise ConfigurationError(
                f"{destination} is open in another program: end it first (`chunkhound mcp` keeps "
                "the file open)"
            ) from error
    except duckdb.Error:
        pass  # not a database


def _indexed(target: IndexTarget, project: str) -> _Indexed:
    try:
        with closing(target.api()) as api:
            answer = api.status(project)
    except CentralRefusedError as error:
        if error.code != "repository_not_found":
            raise
        answer = {"projects": []}
    rows = [row for row in answer["projects"] if row["last_indexed_commit"]]
    if not rows:
        raise IndexerError(
            f"{project} is not indexed, or not visible to this credential: type "
            "`codesearch index` in a checkout of it"
        )
    row = rows[0]
    embedder = EmbedderSpec.parse(row["embedder"]) if row["embedder"] else SPEC
    return _Indexed(row["project"], row["last_indexed_commit"], row["chunks"], embedder.dimensions)


def _repository(target: IndexTarget, root: Path, credential: GitCredential | None) -> Repository:
    """Open the checkout; for a central index a partial clone fetches missing objects."""
    return WorkingCopy(root) if target.is_local else Repository(root, credential)


def _require_commit(repository: Repository, indexed: _Indexed) -> None:
    if not repository.has_commit(indexed.commit):
        raise CommitNotFoundError(
            f"the index of {indexed.project} is at commit {indexed.commit}, which is not in this "
            "clone: fetch it, or index this checkout (`codesearch index`)"
        )


def _counted(repository: Repository, indexed: _Indexed, progress: Progress) -> Iterator[CommitFile]:
    total, files = commit_files(repository, indexed.commit, dimensions=indexed.dimensions)
    chunks = 0
    for number, file in enumerate(files, start=1):
        chunks += len(file.chunks)
        if chunks > CHUNKHOUND_EXPORTED_CHUNKS:
            raise ConfigurationError(
                f"{indexed.project} has more than {CHUNKHOUND_EXPORTED_CHUNKS:,} chunks, the limit "
                "of an export: exclude directories in .codesearch.toml"
            )
        yield file
        progress.read(number, total)


def _embed(writer: DatabaseWriter, embedder: Embedder, progress: Progress) -> None:
    """Add the missing vectors. Raises EmbeddingError after storing the finished ones."""
    ids = writer.chunks_without_vectors()
    for start in range(0, len(ids), _EMBEDDED_AT_ONCE):
        chunks = writer.chunks(ids[start : start + _EMBEDDED_AT_ONCE])
        # The same input as for the service's index, so that equal models give equal vectors.
        inputs = [
            embedder_input(path=chunk.path, container=chunk.container, text=chunk.code)
            for chunk in chunks
        ]
        try:
            rows = dict(enumerate(embedder.embed_documents(inputs)))
        except EmbeddingError as exc:
            writer.add_vectors({chunks[at].id: row for at, row in exc.done.items() if row.any()})
            raise type(exc)(
                f"{exc} The finished embeddings are kept: run the same command again to resume."
            ) from exc
        writer.add_vectors({chunks[at].id: row for at, row in rows.items() if row.any()})
        progress.embedded(start + len(chunks), len(ids))


def _difference(indexed: _Indexed, chunks: int) -> str:
    if chunks == indexed.chunks:
        return ""
    return (
        f"The index of {indexed.project} has {pluralize(indexed.chunks, 'chunk')}: it is from "
        "another version, or this clone lacks files. Rebuild it with `codesearch index`."
    )
