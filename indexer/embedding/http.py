"""Embedding through a service: batches in threads, smaller requests, retries and costs."""

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from indexer.embedding.base import Usage
from indexer.errors import (
    EmbedderMismatchError,
    EmbedderRateLimitedError,
    EmbedderUnavailableError,
    EmbeddingError,
)
from indexer.output.terminal import foreign_line
from indexer.records.vectors import EmbedderSpec, Matrix, Vector
from indexer.retry import Retryable, with_retries

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


class RemoteEmbedder:
    """Embeds through a service; safe to share between threads.

    `before_document` and `before_query` are prefixes of the texts. `retry_seconds` is how long each
    request is retried while the service is unavailable or busy.
    """

    def __init__(
        self,
        spec: EmbedderSpec,
        service: Service,
        *,
        retry_seconds: float,
        before_document: str = "",
        before_query: str = "",
    ) -> None:
        self._spec = spec
        self._service = service
        self._retry_seconds = retry_seconds
        self._before_document = before_document
        self._before_query = before_query
        self._lock = threading.Lock()
        self._requests = 0
        self._tokens = 0

    @property
    def spec(self) -> EmbedderSpec:
        return self._spec

    @property
    def usage(self) -> Usage:
        with self._lock:
            price = self._service.price
            cost = None if price is None else self._tokens * price / 1_000_000
            return Usage(self._requests, self._tokens, cost)

    def check(self) -> None:
        """Request one vector. Raises EmbeddingError."""
        self._embed(["check"], self._before_query)

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return self._embed(texts, self._before_document)

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        return self._embed(texts, self._before_query)

    def _embed(self, texts: Sequence[str], prefix: str) -> Matrix:
        """Embed texts; an empty text, which services refuse, gets a zero row."""
        limit = self._service.limits.text_bytes
        inputs = {
            index: _cut(prefix + text, limit) for index, text in enumerate(texts) if text.strip()
        }
        rows = np.zeros((len(texts), self._spec.dimensions), dtype=np.float32)
        done = set(range(len(texts))).difference(inputs)

        stopped = threading.Event()

        def work(batch: list[int]) -> None:
            if stopped.is_set():
                return
            rows[batch] = self._vectors([inputs[index] for index in batch], stopped)
            with self._lock:
                done.update(batch)

        batches = list(_batches(inputs, self._service.limits))
        try:
            _run_all(work, batches, stopped, max_threads=self._service.limits.requests)
        except EmbeddingError as failure:
            embedded: dict[int, Vector] = {index: rows[index] for index in sorted(done)}
            raise type(failure)(str(failure), done=embedded) from failure
        return rows

    def _vectors(self, texts: list[str], stopped: threading.Event) -> Matrix:
        """Request vectors; in parts if the service refuses the whole request."""

        def sleep(seconds: float) -> None:
            if stopped.wait(seconds):
                raise EmbedderUnavailableError("another request failed meanwhile")

        try:
            return with_retries(
                lambda: self._attempt(texts), seconds=self._retry_seconds, sleep=sleep
            )
        except RequestRejectedError as exc:
            parts = _smaller(texts, exc)
        return np.concatenate([self._vectors(part, stopped) for part in parts])

    def _attempt(self, texts: Sequence[str]) -> "Matrix | Retryable":
        service = self._service
        with self._lock:
            self._requests += 1
        try:
            answer = service.request(texts)
            if isinstance(answer, Retryable):
                return answer
            with self._lock:
                self._tokens += answer.tokens
            return unit_rows(answer.rows, count=len(texts), spec=self._spec, service=service.name)
        except UnreadableAnswerError as exc:
            problem = EmbedderUnavailableError(f"{service.name} gave no usable answer: {exc}")
            return Retryable(problem)


def _run_all(
    work: Callable[[list[int]], None],
    batches: list[list[int]],
    stopped: threading.Event,
    *,
    max_threads: int,
) -> None:
    """Call `work` for each batch in threads. Raises the first failure and stops the rest.

    A single batch runs in the calling thread. An interruption does not wait for requests.
    """
    if len(batches) < 2 or max_threads == 1:
        for batch in batches:
            work(batch)
        return
    failures: list[BaseException] = []

    def run(batch: list[int]) -> None:
        try:
            work(batch)
        except BaseException as exc:
            failures.append(exc)  # before the others stop: theirs come after it
            stopped.set()
            raise

    executor = ThreadPoolExecutor(min(max_threads, len(batches)), thread_name_prefix="embed")
    try:
        wait([executor.submit(run, batch) for batch in batches])
    finally:
        stopped.set()
        executor.shutdown(wait=False, cancel_futures=True)
    if failures:
        raise failures[0]


def _smaller(texts: list[str], rejection: RequestRejectedError) -> list[list[str]]:
    """Split or shorten the texts of a refused request. Raises EmbeddingError."""
    if len(texts) > 1:
        middle = len(texts) // 2
        return [texts[:middle], texts[middle:]]
    shorter = _cut(texts[0], len(texts[0].encode()) // 2)
    if not (rejection.is_too_long and shorter.strip()):
        raise EmbeddingError(str(rejection)) from rejection
    return [[shorter]]


def _cut(text: str, limit_bytes: int) -> str:
    """Return the start of `text` of so many UTF-8 bytes; lone surrogates become `?`."""
    encoded = text.encode(errors="replace")[:limit_bytes]
    return encoded.decode(errors="ignore")


def _batches(inputs: dict[int, str], limits: Limits) -> Iterator[list[int]]:
    """Group the indices of the inputs into requests within the limits."""
    batch: list[int] = []
    size = 0
    for index, text in inputs.items():
        length = len(text.encode())
        if batch and (len(batch) == limits.texts or size + length > limits.bytes):
            yield batch
            batch, size = [], 0
        batch.append(index)
        size += length
    if batch:
        yield batch
