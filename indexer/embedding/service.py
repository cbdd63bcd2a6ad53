"""One request to an embedding service: its limits, its answer and its translated errors."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from indexer.errors import (
    EmbedderMismatchError,
    EmbedderRateLimitedError,
    EmbedderUnavailableError,
    EmbeddingError,
)
from indexer.output.terminal import foreign_line
from indexer.records.vectors import EmbedderSpec, Matrix
from indexer.retry import Retryable

# Exceptions from reading an answer of an unknown form.
UNREADABLE: Final = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
)
_REJECTED_STATUSES: Final = frozenset({400, 413, 422})
_TOO_MANY: Final = 429
_RATE_ADVICE: Final = (
    ". It limits the rate of requests: try again later, run fewer jobs at once, or ask for a "
    "higher limit of this account"
)
_TOO_LONG: Final = re.compile(r"token|context|too (?:long|large|many)|maximum|length", re.I)
_MESSAGE_CHARACTERS: Final = 300
_SECRET: Final = re.compile(r"\b(?:sk|key|Bearer)[-_ ][^\s\"']+", re.I)


class UnreadableAnswerError(Exception):
    """The answer does not follow the service's interface; a retry may succeed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One row per text, in the order of the texts, and the service's token count."""

    rows: object
    tokens: int


class RequestRejectedError(Exception):
    """The service rejected the request as too large; it may accept parts of it.

    `is_too_long`: a single text is too long; a shorter one may be accepted.
    """

    def __init__(self, message: str, *, is_too_long: bool) -> None:
        super().__init__(message)
        self.is_too_long = is_too_long


def error_for_status(status: int, *, service: str, pause_seconds: float, message: str) -> Retryable:
    """Return the error for an unsuccessful status that the provider does not handle itself.

    `message` is the service's. Raises RequestRejectedError, or EmbeddingError if retrying cannot
    help.
    """
    description = f"{service} answered HTTP {status}: {redacted_excerpt(message)}".rstrip(": ")
    if status in _REJECTED_STATUSES:
        raise RequestRejectedError(description, is_too_long=bool(_TOO_LONG.search(message)))
    if status in {408, 409, 425, _TOO_MANY} or status >= 500:
        hint = f"; it asks to wait {pause_seconds:.0f} s" if pause_seconds else ""
        if status == _TOO_MANY:
            return Retryable(
                EmbedderRateLimitedError(f"{description.rstrip('.')}{hint}{_RATE_ADVICE}"),
                pause_seconds,
            )
        return Retryable(EmbedderUnavailableError(f"{description}{hint}"), pause_seconds)
    raise EmbeddingError(description)


def redacted_excerpt(message: str) -> str:
    """Return the start of a service's message without anything like a key; "" for HTML."""
    line = _SECRET.sub("…", foreign_line(message))
    return "" if line.startswith("<") else line[:_MESSAGE_CHARACTERS]


def unit_rows(rows: object, *, count: int, spec: EmbedderSpec, service: str) -> Matrix:
    """Return the rows as float32 (count, dimensions) of length 1; a zero row stays zero.

    Raises EmbedderMismatchError for another number of dimensions, else UnreadableAnswerError.
    """
    try:
        matrix = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as exc:
        raise UnreadableAnswerError("vectors differ in length or are not numeric") from exc
    if matrix.ndim != 2:
        raise UnreadableAnswerError("no vectors")
    if len(matrix) != count:
        raise UnreadableAnswerError(f"{len(matrix)} vectors for {count} texts")
    if matrix.shape[1] != spec.dimensions:
        dimensions = matrix.shape[1]
        raise EmbedderMismatchError(
            f"{spec.model} at {service} makes vectors of {dimensions} dimensions, the "
            f"organisation's embedder is {spec}: set that to "
            f"{spec.provider}/{spec.model}/{dimensions} "
            f"(manage.py set_embedder), or serve a model of {spec.dimensions} dimensions there."
        )
    with np.errstate(over="ignore"):  # an infinite length is refused without a warning
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise UnreadableAnswerError("numbers that are not finite")
    return (matrix / np.where(lengths == 0, 1, lengths)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits per request (texts, bytes of UTF-8) and text, and of concurrent requests."""

    texts: int
    bytes: int
    text_bytes: int
    requests: int


class Service(Protocol):
    """One model of one embedding service."""

    name: str  # as messages name it; holds no secret
    limits: Limits
    price: float | None  # dollars for a million tokens; None: unknown

    def request(self, texts: Sequence[str]) -> Answer | Retryable:
        """Request the vectors of `texts` once; safe to call from several threads.

        Raises UnreadableAnswerError, RequestRejectedError, or EmbeddingError if retrying cannot
        help.
        """
        ...
