"""Everything the indexer raises.

IndexerError
├── ConfigurationError          a setting or an argument is wrong
├── UnconfirmedServerError      nobody but a checkout's file names the server
├── GitError                    git said no
│   ├── NotARepositoryError
│   ├── UntrustedRepositoryError   a commit can have brought it, with its settings
│   ├── CommitNotFoundError
│   ├── ShallowCloneError
│   └── GitTimeoutError            git did not end within its time
├── BundleError                 a batch is not what the wire format says
├── EmbeddingError              `done`: what was embedded before
│   ├── EmbedderMismatchError   model or dimensions are not those that central asks for
│   └── EmbedderUnavailableError
├── IdentityError               GitHub gives the job no id token
│   └── IdentityUnavailableError
├── StoreError
│   ├── CollectionMissingError  a Qdrant server has none of that name
│   ├── StoreUnavailableError
│   │   └── StoreFullError      its disk is full
│   ├── StoreLockedError        another process holds the embedded store
│   └── DirectNotAvailableError clients cannot write to this store themselves
└── CentralError                central answered, or did not
    ├── CentralUnreachableError
    ├── CentralRefusedError     the credential or the request is not accepted
    ├── RunConflictError        another run of the repository is queued or applying
    ├── RunStaleError           the index moved on while this run was under way
    └── RunFailedError          the run ended without being applied
"""

from collections.abc import Mapping
from typing import Any


class IndexerError(Exception):
    """Root of the tree. `retryable` says whether the same call may succeed later."""

    retryable = False


class ConfigurationError(IndexerError):
    """A setting or an argument is wrong; the message names it and what to write instead."""


class UnconfirmedServerError(IndexerError):
    """A token was not sent to a server that nobody but a checkout's file names."""


class GitError(IndexerError):
    """A git command failed for a reason that no subclass names."""


class NotARepositoryError(GitError):
    """The path is not inside a git work tree or bare repository."""


class UntrustedRepositoryError(GitError):
    """A repository that a commit of another one can have brought, with settings that git obeys."""


class CommitNotFoundError(GitError):
    """The commit or ref does not exist in this clone."""


class ShallowCloneError(GitError):
    """The clone lacks history, so ancestry cannot be decided."""


class GitTimeoutError(GitError):
    """A git command did not end within its time and was ended."""


class BundleError(IndexerError):
    """A batch is malformed; the message names the line and the field, `code` is stable."""

    def __init__(self, message: str, *, code: str = "batch_malformed") -> None:
        super().__init__(message)
        self.code = code


class EmbeddingError(IndexerError):
    """An embedder failed for a reason that no subclass names.

    `done`: by index, vectors of what it did embed.
    """

    def __init__(self, message: str, *, done: Mapping[int, Any] | None = None) -> None:
        super().__init__(message)
        self.done = done or {}


class EmbedderMismatchError(EmbeddingError):
    """Provider, model or dimensions differ from those that central asks for."""


class EmbedderUnavailableError(EmbeddingError):
    """The embedding service did not answer."""

    retryable = True


class IdentityError(IndexerError):
    """GitHub gives the job no id token, so it cannot say who it is."""


class IdentityUnavailableError(IdentityError):
    """The endpoint for id tokens did not answer."""

    retryable = True


class StoreError(IndexerError):
    """A vector store failed for a reason that no subclass names."""


class CollectionMissingError(StoreError):
    """The Qdrant server has no collection of that name."""


class StoreUnavailableError(StoreError):
    """The vector store did not answer."""

    retryable = True


class StoreFullError(StoreUnavailableError):
    """The disk of the vector store is full; that does not pass by itself."""


class StoreLockedError(StoreError):
    """Another process holds the embedded vector store."""

    retryable = True


class DirectNotAvailableError(StoreError):
    """Clients cannot write to this store themselves; the message says why."""


class CentralError(IndexerError):
    """Central answered in a way that the client does not know."""


class CentralUnreachableError(CentralError):
    """Central did not answer, or answered 5xx."""

    retryable = True


class CentralRefusedError(CentralError):
    """Central refused.

    `code` is stable, `status` is the HTTP status, and `problem` is the whole document (RFC 9457),
    empty where a proxy answered.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "refused",
        status: int = 0,
        problem: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.problem = problem or {}


class RunConflictError(CentralError):
    """Another run of the repository (`run_id`) is queued or applying."""

    retryable = True

    def __init__(self, message: str, *, run_id: str) -> None:
        super().__init__(message)
        self.run_id = run_id


class RunStaleError(CentralError):
    """The index moved on while this run was under way; plan again."""

    retryable = True


class RunFailedError(CentralError):
    """The run ended as failed, expired or abandoned."""
