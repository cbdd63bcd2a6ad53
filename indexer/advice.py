"""What a person is told of an error before its message, and what to write where that is known."""

from collections.abc import Mapping
from typing import Final

from indexer import errors

FETCH_DEPTH: Final = """\
- uses: actions/checkout@…
  with:
    fetch-depth: 0"""

TITLES: Final[Mapping[type[errors.IndexerError], str]] = {
    errors.IndexerError: "The indexer could not work",
    errors.ConfigurationError: "A setting is missing or wrong",
    errors.UnconfirmedServerError: "Nobody has confirmed the server that the checkout names",
    errors.GitError: "git failed",
    errors.NotARepositoryError: "There is no repository here",
    errors.CommitNotFoundError: "A commit is not in this clone",
    errors.UntrustedRepositoryError: "A commit can have brought this repository",
    errors.ShallowCloneError: "The checkout lacks history",
    errors.GitTimeoutError: "git did not end in time",
    errors.BundleError: "The upload is malformed",
    errors.EmbeddingError: "Embedding failed",
    errors.EmbedderMismatchError: "The embedder is not the one that the service asks for",
    errors.EmbedderUnavailableError: "The embedder did not answer",
    errors.IdentityError: "GitHub gives this job no identity",
    errors.IdentityUnavailableError: "GitHub's id tokens cannot be reached",
    errors.StoreError: "The vector store failed",
    errors.CollectionMissingError: "The vector store's collection is gone",
    errors.StoreUnavailableError: "The vector store did not answer",
    errors.StoreFullError: "The vector store's disk is full",
    errors.StoreLockedError: "The vector store is in use",
    errors.DirectNotAvailableError: "Vectors cannot be written from here",
    errors.CentralError: "The service's answer is not understood",
    errors.CentralUnreachableError: "The service did not answer",
    errors.CentralRefusedError: "The service refused",
    errors.RunConflictError: "Another run of this repository is under way",
    errors.RunStaleError: "Another run was quicker, again and again",
    errors.RunFailedError: "The service did not finish the run",
}
_REFUSALS: Final = {
    401: "The service does not accept the credential",
    403: "The service does not allow this",
    404: "The service knows no such organisation or project",
    413: "The upload is too large for the service",
}


def title(error: errors.IndexerError) -> str:
    """What kind of error it is, in a few words."""
    if isinstance(error, errors.CentralRefusedError) and error.status in _REFUSALS:
        return _REFUSALS[error.status]
    return TITLES[type(error)]


def lines_to_write(error: errors.IndexerError) -> str:
    """The lines of a workflow that mend it; empty where the message says all there is to say."""
    return FETCH_DEPTH if isinstance(error, errors.ShallowCloneError) else ""


def message(error: errors.IndexerError) -> str:
    """What it says, and the lines that mend it."""
    return "\n".join(filter(None, (str(error), lines_to_write(error))))
