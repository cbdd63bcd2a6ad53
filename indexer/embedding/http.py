"""Embedding through a service: batches in threads, smaller requests, retries and costs."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

from indexer.embedding.base import Usage
from indexer.embedding.service import (
    Limits,
    RequestRejectedError,
    Service,
    UnreadableAnswerError,
    unit_rows,
)
from indexer.errors import EmbedderUnavailableError, EmbeddingError
from indexer.records.vectors import EmbedderSpec, Matrix, Vector
from indexer.retry import Retryable, with_retries


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
