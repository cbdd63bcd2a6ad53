"""What an embedding service's answer to one request is: vectors, a refusal, or something to retry.

Nothing that a service says is passed on unread: it may hold a part of the key.
"""

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from indexer.errors import EmbedderMismatchError, EmbedderUnavailableError, EmbeddingError
from indexer.patience import Away
from indexer.records import EmbedderSpec, Matrix

# What reading an answer may raise that is in no known form.
UNREADABLE: Final = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
)
_REFUSED_AS_A_WHOLE: Final = frozenset({400, 413, 422})
_TOO_LONG: Final = re.compile(r"token|context|too (?:long|large|many)|maximum|length", re.I)
_MESSAGE_CHARACTERS: Final = 300
_SECRET: Final = re.compile(r"\b(?:sk|key|Bearer)[-_ ][^\s\"']+", re.I)


class UnreadableAnswerError(Exception):
    """The answer is not what the service's interface promises; another may be."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One row per text, in their order, as the service gave them, and what it counted."""

    rows: object
    tokens: int


class RefusedError(Exception):
    """The request is too much, or something in it is: parts of it may be taken.

    `is_too_long`: of a single text, a shorter one may be.
    """

    def __init__(self, message: str, *, is_too_long: bool) -> None:
        super().__init__(message)
        self.is_too_long = is_too_long


def failed(status: int, *, place: str, pause_seconds: float, message: str) -> Away:
    """What an answer other than success stands for, but for those that the provider knows better.

    `message` is the service's own. Raises RefusedError, and EmbeddingError where nothing helps but
    a change.
    """
    said = f"{place} answered HTTP {status}: {readable(message)}".rstrip(": ")
    if status in _REFUSED_AS_A_WHOLE:
        raise RefusedError(said, is_too_long=bool(_TOO_LONG.search(message)))
    if status in {408, 409, 425, 429} or status >= 500:
        asked = f"; it asks to wait {pause_seconds:.0f} s" if pause_seconds else ""
        return Away(EmbedderUnavailableError(f"{said}{asked}"), pause_seconds)
    raise EmbeddingError(said)


def readable(message: str) -> str:
    """The start of what a service said, without what looks like a key; nothing of a page."""
    line = " ".join(_SECRET.sub("…", message).split())
    return "" if line.startswith("<") else line[:_MESSAGE_CHARACTERS]


def unit_rows(rows: object, *, count: int, spec: EmbedderSpec, place: str) -> Matrix:
    """The rows as float32 (count, dimensions) of length 1; a zero row stays one.

    Raises EmbedderMismatchError for another number of dimensions, UnreadableAnswerError.
    """
    try:
        matrix = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as exc:
        raise UnreadableAnswerError("vectors of several lengths, or of no numbers") from exc
    if matrix.ndim != 2:
        raise UnreadableAnswerError("no vectors")
    if len(matrix) != count:
        raise UnreadableAnswerError(f"{len(matrix)} vectors for {count} texts")
    if matrix.shape[1] != spec.dimensions:
        given = matrix.shape[1]
        raise EmbedderMismatchError(
            f"{spec.model} at {place} makes vectors of {given} dimensions, the organisation's "
            f"embedder is {spec}: set that to {spec.provider}/{spec.model}/{given} "
            f"(manage.py set_embedder), or serve a model of {spec.dimensions} dimensions there."
        )
    with np.errstate(over="ignore"):  # an infinite length is refused, not warned of
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise UnreadableAnswerError("numbers that are not finite")
    return (matrix / np.where(lengths == 0, 1, lengths)).astype(np.float32)
