"""Everything the indexer raises.

IndexerError
├── ConfigurationError          a setting or an argument is wrong
├── UnconfirmedServerError      only a checkout's file names the server
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
from typing import Any, Final

from indexer.exits import Exit

_EXIT_OF_CODE: Final[Mapping[str, Exit]] = {
    "symbol_not_found": Exit.NOTHING_FOUND,
    "file_not_found": Exit.NOTHING_FOUND,
    "repository_not_found": Exit.NOT_INDEXED,
    "node_not_found": Exit.NOTHING_FOUND,
    "edge_not_found": Exit.NOTHING_FOUND,
    **dict.fromkeys(
        (
            "invalid",
            "invalid_node_id",
            "invalid_edge_type",
            "invalid_rule",
            "self_link",
            "node_ambiguous",
            "node_is_code",
            "body_too_large",
            "properties_too_large",
        ),
        Exit.USAGE,
    ),
}
_TITLE_OF_STATUS: Final[Mapping[int, str]] = {
    401: "The service does not accept the credential",
    403: "The service does not allow this",
    404: "The service knows no such organisation or project",
    413: "The upload is too large for the service",
}


class IndexerError(Exception):
    """Root of the tree. `retryable` says whether the same call may succeed later.

    `exit_code`: what a command ends with. `title`: what kind of error it is, in a few words.
    `fix`: the lines of a workflow that mend it; empty where the message says all there is to say.
    """

    exit_code: Exit = Exit.NOT_INDEXED
    title: str = "The indexer could not work"
    fix: str = ""
    retryable = False

    @property
    def message(self) -> str:
        """What it says, and the lines that mend it."""
        return "\n".join(filter(None, (str(self), self.fix)))


class ConfigurationError(IndexerError):
    """A setting or an argument is wrong; the message names it and what to write instead."""

    exit_code = Exit.USAGE
    title = "A setting is missing or wrong"


class UnconfirmedServerError(IndexerError):
    """A token was not sent to a server that only a checkout's file names."""

    exit_code = Exit.REFUSED
    title = "The server that the checkout names is not confirmed"


class GitError(IndexerError):
    """A git command failed for a reason that no subclass names."""

    title = "git failed"


class NotARepositoryError(GitError):
    """The path is not inside a git work tree or bare repository."""

    exit_code = Exit.USAGE
    title = "There is no repository here"


class UntrustedRepositoryError(GitError):
    """A repository that a commit of another one can have brought, with settings that git obeys."""

    exit_code = Exit.USAGE
    title = "A commit can have brought this repository"


class CommitNotFoundError(GitError):
    """The commit or ref does not exist in this clone."""

    exit_code = Exit.USAGE
    title = "A commit is not in this clone"


class ShallowCloneError(GitError):
    """The clone lacks history, so ancestry cannot be decided."""

    title = "The checkout lacks history"
    fix = """\
- uses: actions/checkout@…
  with:
    fetch-depth: 0"""


class GitTimeoutError(GitError):
    """A git command did not end within its time and was ended."""

    title = "git did not end in time"


class BundleError(IndexerError):
    """A batch is malformed; the message names the line and the field, `code` is stable."""

    title = "The upload is malformed"

    def __init__(self, message: str, *, code: str = "batch_malformed") -> None:
        super().__init__(message)
        self.code = code


class EmbeddingError(IndexerError):
    """An embedder failed for a reason that no subclass names.

    `done`: by index, vectors of what it did embed.
    """

    title = "Embedding failed"

    def __init__(self, message: str, *, done: Mapping[int, Any] | None = None) -> None:
        super().__init__(message)
        self.done = done or {}


class EmbedderMismatchError(EmbeddingError):
    """Provider, model or dimensions differ from those that central asks for."""

    title = "The embedder is not the one that the service asks for"


class EmbedderUnavailableError(EmbeddingError):
    """The embedding service did not answer."""

    exit_code = Exit.UNREACHABLE
    title = "The embedder did not answer"
    retryable = True


class IdentityError(IndexerError):
    """GitHub gives the job no id token, so it cannot say who it is."""

    exit_code = Exit.REFUSED
    title = "GitHub gives this job no identity"


class IdentityUnavailableError(IdentityError):
    """The endpoint for id tokens did not answer."""

    exit_code = Exit.UNREACHABLE
    title = "GitHub's id tokens cannot be reached"
    retryable = True


class StoreError(IndexerError):
    """A vector store failed for a reason that no subclass names."""

    title = "The vector store failed"


class CollectionMissingError(StoreError):
    """The Qdrant server has no collection of that name."""

    title = "The vector store's collection is gone"


class StoreUnavailableError(StoreError):
    """The vector store did not answer."""

    exit_code = Exit.UNREACHABLE
    title = "The vector store did not answer"
    retryable = True


class StoreFullError(StoreUnavailableError):
    """The disk of the vector store is full; that does not pass by itself."""

    exit_code = Exit.NOT_INDEXED
    title = "The vector store's disk is full"


class StoreLockedError(StoreError):
    """Another process holds the embedded vector store."""

    title = "The vector store is in use"
    retryable = True


class DirectNotAvailableError(StoreError):
    """Clients cannot write to this store themselves; the message says why."""

    title = "Vectors cannot be written from here"


class CentralError(IndexerError):
    """Central answered in a way that the client does not know."""

    title = "The service's answer is not understood"


class CentralUnreachableError(CentralError):
    """Central did not answer, or answered 5xx."""

    exit_code = Exit.UNREACHABLE
    title = "The service did not answer"
    retryable = True


class CentralRefusedError(CentralError):
    """Central refused.

    `code` is stable, `status` is the HTTP status, and `problem` is the whole document (RFC 9457),
    empty where a proxy answered. A refusal that only says that there is nothing, or that what is
    asked for is wrong, has the exit code of that.
    """

    exit_code = Exit.REFUSED
    title = "The service refused"

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
        self.exit_code = _EXIT_OF_CODE.get(code, self.exit_code)
        self.title = _TITLE_OF_STATUS.get(status, self.title)


class RunConflictError(CentralError):
    """Another run of the repository (`run_id`) is queued or applying."""

    title = "Another run of this repository is under way"
    retryable = True

    def __init__(self, message: str, *, run_id: str) -> None:
        super().__init__(message)
        self.run_id = run_id


class RunStaleError(CentralError):
    """The index moved on while this run was under way; plan again."""

    title = "Another run was quicker, again and again"
    retryable = True


class RunFailedError(CentralError):
    """The run ended as failed, expired or abandoned."""

    title = "The service did not finish the run"


def not_installed(package: str, extra: str) -> str:
    """Return the message of a missing optional package, with the extra that has it."""
    return f"{package} is not installed: pip install 'aeterna-code-search[{extra}]'"
