"""The errors of the indexer.

IndexerError
├── ConfigurationError          a setting or an argument is invalid
├── UnconfirmedServerError      only a checkout's file names the server
├── GitError                    a git command failed
│   ├── NotARepositoryError
│   ├── UntrustedRepositoryError   a commit may have created it, with its settings
│   ├── CommitNotFoundError
│   ├── ShallowCloneError
│   ├── GitTimeoutError            git exceeded its time limit
│   ├── TreeTooLargeError          a commit has more files than an index may have
│   └── BlobTooLargeError          a file is larger than any that is indexed
├── BundleError                 a batch violates the wire format
├── ScipInvalidError            a SCIP index cannot be read
├── ScipDocumentError           a document of a SCIP index is not used
├── EmbeddingError              `done`: the vectors embedded before
│   ├── EmbedderMismatchError   model or dimensions differ from those that central requires
│   └── EmbedderUnavailableError
│       └── EmbedderRateLimitedError
├── IdentityError               GitHub provides no id token
│   └── IdentityUnavailableError
├── StoreError
│   ├── CollectionMissingError  the Qdrant server has no collection of that name
│   ├── StoreUnavailableError
│   │   └── StoreFullError      its disk is full
│   ├── StoreLockedError        another process holds the embedded store
│   └── DirectNotAvailableError clients cannot write to this store directly
├── ForgeError                  the forge's API refused a request
│   ├── ForgeUnavailableError
│   └── CommentForbiddenError   the job's token may not comment
└── CentralError                central failed, refused or did not answer
    ├── CentralUnreachableError
    │   └── CentralRateLimitedError
    ├── CentralRefusedError     the credential or the request is not accepted
    ├── RunConflictError        another run of the repository is queued or applying
    ├── RunStaleError           the index changed during this run
    └── RunFailedError          the run ended without being applied
"""

from collections.abc import Mapping
from typing import Any, Final

from indexer.exits import Exit
from indexer.output.terminal import escape_text

_EXIT_OF_CODE: Final[Mapping[str, Exit]] = {
    "symbol_not_found": Exit.NOTHING_FOUND,
    "file_not_found": Exit.NOTHING_FOUND,
    "reference_not_found": Exit.NOTHING_FOUND,
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
    404: "The service does not know the organisation or project",
    413: "The upload is too large for the service",
}


class IndexerError(Exception):
    """Base class of all errors. `retryable`: the same call may succeed later.

    `exit_code`: the exit code of a command. `title`: the kind of error in a few words. `fix`: the
    lines of a workflow that fix it; empty if the message is sufficient. The text can be stored and
    shown, whatever the message quotes.
    """

    exit_code: Exit = Exit.NOT_INDEXED
    title: str = "The indexer failed"
    fix: str = ""
    retryable = False

    def __init__(self, message: str = "") -> None:
        super().__init__(escape_text(message))  # it may quote others: git, a service, a file

    @property
    def message(self) -> str:
        """The error's text and the lines that fix it."""
        return "\n".join(filter(None, (str(self), self.fix)))


class ConfigurationError(IndexerError):
    """A setting or an argument is invalid; the message names it and a valid form."""

    exit_code = Exit.USAGE
    title = "A setting is missing or invalid"


class UnconfirmedServerError(IndexerError):
    """A token was not sent to a server that only a checkout's file names."""

    exit_code = Exit.REFUSED
    title = "The checkout's server is not confirmed"


class GitError(IndexerError):
    """A git command failed for a reason that no subclass names."""

    title = "git failed"


class NotARepositoryError(GitError):
    """The path is not inside a git work tree or bare repository."""

    exit_code = Exit.USAGE
    title = "Not a git repository"


class UntrustedRepositoryError(GitError):
    """A repository that a commit of another one may have created, with settings for git."""

    exit_code = Exit.USAGE
    title = "The repository is not trusted"


class CommitNotFoundError(GitError):
    """The commit or ref does not exist in this clone."""

    exit_code = Exit.USAGE
    title = "The commit is not in this clone"


class ShallowCloneError(GitError):
    """The clone lacks history, so ancestry cannot be determined."""

    title = "The checkout lacks history"
    fix = """\
- uses: actions/checkout@…
  with:
    fetch-depth: 0"""


class GitTimeoutError(GitError):
    """A git command exceeded its time limit and was stopped."""

    title = "git exceeded its time limit"


class TreeTooLargeError(GitError):
    """A commit has more paths or bytes of them than are indexed; `code` is the service's too."""

    exit_code = Exit.REFUSED
    title = "The commit has too many files"
    code: Final = "tree_too_large"

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"{problem}: a repository of that size is not indexed ({self.code}). Remove the "
            "directories that do not belong into it, or split it"
        )


class BlobTooLargeError(GitError):
    """A blob is larger than BLOB_BYTES; it was not read."""

    title = "A file is too large to be read"


class BundleError(IndexerError):
    """A batch is malformed; the message names the line and the field, `code` is stable."""

    title = "The upload is malformed"

    def __init__(self, message: str, *, code: str = "batch_malformed") -> None:
        super().__init__(message)
        self.code = code


class ScipInvalidError(IndexerError):
    """A file is no SCIP index, is cut off, or is over a limit; nothing of it is used."""

    exit_code = Exit.USAGE
    title = "The SCIP index cannot be read"
    code: Final = "scip_invalid"


class ScipDocumentError(IndexerError):
    """A document of an index is malformed or of another text; it ends no run."""

    title = "A document of the SCIP index is not used"


class EmbeddingError(IndexerError):
    """An embedder failed for a reason that no subclass names.

    `done`: the vectors embedded before, by index.
    """

    title = "Embedding failed"

    def __init__(self, message: str, *, done: Mapping[int, Any] | None = None) -> None:
        super().__init__(message)
        self.done = done or {}


class EmbedderMismatchError(EmbeddingError):
    """Provider, model or dimensions differ from those that central requires."""

    title = "The embedder differs from the service's"


class EmbedderUnavailableError(EmbeddingError):
    """The embedding service did not answer."""

    exit_code = Exit.UNREACHABLE
    title = "The embedder did not answer"
    retryable = True


class EmbedderRateLimitedError(EmbedderUnavailableError):
    """The embedding service answered 429 for as long as the request was retried."""

    title = "The embedder limits the rate of requests"


class IdentityError(IndexerError):
    """GitHub provides no id token, so the job cannot authenticate."""

    exit_code = Exit.REFUSED
    title = "GitHub provides no id token for this job"


class IdentityUnavailableError(IdentityError):
    """The endpoint for id tokens did not answer."""

    exit_code = Exit.UNREACHABLE
    title = "GitHub's id token endpoint did not answer"
    retryable = True


class StoreError(IndexerError):
    """A vector store failed for a reason that no subclass names."""

    title = "The vector store failed"


class CollectionMissingError(StoreError):
    """The Qdrant server has no collection of that name."""

    title = "The vector store's collection is missing"


class StoreUnavailableError(StoreError):
    """The vector store did not answer."""

    exit_code = Exit.UNREACHABLE
    title = "The vector store did not answer"
    retryable = True


class StoreFullError(StoreUnavailableError):
    """The disk of the vector store is full, which needs an operator."""

    exit_code = Exit.NOT_INDEXED
    title = "The vector store's disk is full"


class StoreLockedError(StoreError):
    """Another process holds the embedded vector store."""

    title = "The vector store is in use"
    retryable = True


class DirectNotAvailableError(StoreError):
    """Clients cannot write to this store themselves; the message says why."""

    title = "Direct upload is not available"


class CentralError(IndexerError):
    """Central answered in an unknown form."""

    title = "The service's answer cannot be read"


class CentralUnreachableError(CentralError):
    """Central did not answer, or answered 5xx."""

    exit_code = Exit.UNREACHABLE
    title = "The service did not answer"
    retryable = True


class CentralRateLimitedError(CentralUnreachableError):
    """Central answered 429 for as long as the request was retried."""

    title = "The service limits requests"


class CentralRefusedError(CentralError):
    """Central refused the request.

    `code` is stable, `status` is the HTTP status, and `problem` is the whole document (RFC 9457),
    empty if a proxy answered. The exit code depends on the code: nothing was found, the request was
    invalid, or it was refused.
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

    title = "Another run of this repository is in progress"
    retryable = True

    def __init__(self, message: str, *, run_id: str) -> None:
        super().__init__(message)
        self.run_id = run_id


class RunStaleError(CentralError):
    """The index changed during this run; plan again."""

    title = "Superseded by concurrent runs"
    retryable = True


class RunFailedError(CentralError):
    """The run ended as failed, expired or abandoned."""

    title = "The service did not finish the run"


class ForgeError(IndexerError):
    """The forge's API refused a request or answered in an unknown form. `status`: HTTP's."""

    exit_code = Exit.REFUSED
    title = "The forge refused"

    def __init__(self, message: str, *, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class ForgeUnavailableError(ForgeError):
    """The forge's API did not answer, or limits requests; after `pause_seconds` it may."""

    exit_code = Exit.UNREACHABLE
    title = "The forge did not answer"
    retryable = True

    def __init__(self, message: str, *, status: int = 0, pause_seconds: float = 0.0) -> None:
        super().__init__(message, status=status)
        self.pause_seconds = pause_seconds


class CommentForbiddenError(ForgeError):
    """The job's token has no permission to comment on the pull request."""

    title = "The job may not comment"
    fix = """\
permissions:
  pull-requests: write"""


def not_installed(package: str, extra: str) -> str:
    """Return the message of a missing optional package, with the extra that has it."""
    return f"{package} is not installed: pip install 'aeterna-code-search[{extra}]'"
