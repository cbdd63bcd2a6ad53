"""The errors of a code search.

CodeSearchError
├── InvalidRequestError        a parameter is wrong
├── NotIndexedError            there is neither a database nor an index
├── MissingKeyError            no key for the embedding of queries
├── NotInstalledError          an optional dependency is absent
├── DatabaseError              not a ChunkHound database, or a damaged one
│   ├── DatabaseLockedError    locked by a writer
│   ├── DatabaseMismatchError  embeddings of other models or dimensions only
│   ├── DatabaseOutsideError   a link leads out of the project
│   └── DatabaseTimeoutError   it did not answer in time
├── EmbeddingFailedError       the embedding service
└── ServiceFailedError         the service of this project's index
"""

from pathlib import Path

from indexer.errors import not_installed


class CodeSearchError(Exception):
    """The base class. The message is safe to show; `code` is stable, `status` is HTTP's."""

    code = "failed"
    status = 500

    @property
    def text(self) -> str:
        """The text that `code.search` returns."""
        return f"Error: {self}"


class InvalidRequestError(CodeSearchError):
    """A parameter is invalid; the message names it and its valid values."""

    code = "invalid"
    status = 400


class NotIndexedError(CodeSearchError):
    """The project has neither a ChunkHound database nor an index of this service."""

    code = "INDEX_NOT_FOUND"
    status = 404

    def __init__(self, project_root: Path, database: Path, *, is_explicit: bool = False) -> None:
        own = f"\nOr, without ChunkHound and without a key: codesearch index {project_root}"
        super().__init__(
            f"Project not indexed. Run: chunkhound index {project_root}\n"
            f"Expected database at: {database}"
            f"{'' if is_explicit else own}"  # then no other index is searched
        )


class MissingKeyError(CodeSearchError):
    """No key for the embedding of queries."""

    code = "missing_api_key"
    status = 401

    def __init__(self) -> None:
        super().__init__(
            "OPENAI_API_KEY not configured in secrets.yaml (required for code search embeddings)"
        )

    @property
    def text(self) -> str:
        """The text that the specification requires."""
        return str(self)


class NotInstalledError(CodeSearchError):
    """An optional dependency is absent."""

    code = "not_installed"
    status = 501

    def __init__(self, package: str) -> None:
        super().__init__(not_installed(package, "chunkhound"))


class DatabaseError(CodeSearchError):
    """The file is not a ChunkHound database, or cannot be read."""

    code = "database_unreadable"
    status = 422


class DatabaseLockedError(DatabaseError):
    """The file is locked by a writing process."""

    code = "database_locked"
    status = 409


class DatabaseMismatchError(DatabaseError):
    """The file has embeddings, but none of the model that queries are embedded with."""

    code = "database_mismatch"


class DatabaseOutsideError(DatabaseError):
    """A symbolic link of the project leads to a file outside of it."""

    code = "database_outside_project"
    status = 403


class DatabaseTimeoutError(DatabaseError):
    """The database did not answer in time."""

    code = "timed_out"
    status = 504


class EmbeddingFailedError(CodeSearchError):
    """The embedding service rejected the request, or gave no valid answer."""

    code = "embedding_failed"
    status = 502


class ServiceFailedError(CodeSearchError):
    """The service of this project's index rejected the request or did not answer."""

    code = "service_failed"
    status = 502
