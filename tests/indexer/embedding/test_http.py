"""What embedders over HTTP share, whatever the texts and the limits of a service."""

import threading
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.embedding.http import Answer, Limits, RemoteEmbedder, RequestRejectedError
from indexer.errors import EmbedderUnavailableError, EmbeddingError
from indexer.records.vectors import EmbedderSpec, Vector
from indexer.retry import Retryable
from tests.embedding_servers import vector_of

SPEC = EmbedderSpec("openai", "a-model", 16)
LIMITS = st.builds(
    Limits,
    texts=st.integers(1, 5),
    bytes=st.integers(1, 60),
    text_bytes=st.integers(4, 40),
    requests=st.integers(1, 4),
)


class Service:
    """One in this process: it takes `most` texts a request and, at last, `answers` requests."""

    name = "a service"
    price = 2.0

    def __init__(self, limits: Limits, most: int = 99, answers: int = 9_999) -> None:
        self.limits = limits
        self.most = most
        self.answers = answers
        self.asked: list[Sequence[str]] = []
        self.lock = threading.Lock()

    def request(self, texts: Sequence[str]) -> Answer | Retryable:
        with self.lock:
            self.asked.append(texts)
            self.answers -= 1
        if len(texts) > self.most:
            raise RequestRejectedError("too many texts", is_too_long=True)
        if self.answers < 0:
            return Retryable(EmbedderUnavailableError("away"))
        return Answer([vector_of(text, SPEC.dimensions) for text in texts], len(texts))


def start_of(text: str, limit_bytes: int) -> str:
    return text.encode(errors="replace")[:limit_bytes].decode(errors="ignore")


def what_is_done(texts: list[str], service: Service) -> Mapping[int, Vector]:
    try:
        rows = RemoteEmbedder(SPEC, service, retry_seconds=0).embed_documents(texts)
    except EmbeddingError as exc:
        return exc.done
    return dict(enumerate(rows))


@given(st.lists(st.text(st.characters(), max_size=30), max_size=25), LIMITS, st.integers(1, 9))
def test_any_texts_give_their_rows_within_any_limits(
    texts: list[str], limits: Limits, most: int
) -> None:
    service = Service(limits, most)
    embedder = RemoteEmbedder(SPEC, service, retry_seconds=0)
    rows = embedder.embed_documents(texts)
    for text, row in zip(texts, rows, strict=True):
        cut = start_of(text, limits.text_bytes)
        vector = vector_of(cut, SPEC.dimensions) if text.strip() else np.zeros(SPEC.dimensions)
        expected = vector / (np.linalg.norm(vector) or 1)
        np.testing.assert_allclose(row, expected, atol=1e-6)
    for asked in service.asked:
        size = sum(len(text.encode()) for text in asked)
        assert len(asked) == 1 or (len(asked) <= limits.texts and size <= limits.bytes)
    assert embedder.usage.requests == len(service.asked)


@given(st.lists(st.text(max_size=9), min_size=1, max_size=25), LIMITS, st.integers(0, 9))
def test_whenever_a_service_gives_out_what_is_done_is_right(
    texts: list[str], limits: Limits, answers: int
) -> None:
    whole = RemoteEmbedder(SPEC, Service(limits), retry_seconds=0).embed_documents(texts)
    done = what_is_done(texts, Service(limits, answers=answers))
    assert all(np.array_equal(row, whole[index]) for index, row in done.items())
    assert {index for index, text in enumerate(texts) if not text.strip()} <= set(done)


def test_the_first_failure_ends_the_waiting_of_the_others() -> None:
    """One request meets what no waiting mends, while another waits for an hour."""

    class Mixed(Service):
        def request(self, texts: Sequence[str]) -> Answer | Retryable:
            if texts == ["patient"]:
                self.waiting.set()
                return Retryable(EmbedderUnavailableError("busy"), 3_600)
            self.waiting.wait(30)
            raise RequestRejectedError("never", is_too_long=False)

        waiting = threading.Event()

    limits = Limits(texts=1, bytes=99, text_bytes=99, requests=2)
    embedder = RemoteEmbedder(SPEC, Mixed(limits), retry_seconds=9_999)
    for _ in range(50):  # both may have ended when the first is looked at
        with pytest.raises(Exception, match="never"):
            embedder.embed_documents(["patient", "hopeless"])


def test_dollars_are_of_the_tokens_that_were_counted() -> None:
    embedder = RemoteEmbedder(SPEC, Service(Limits(9, 999, 99, 1)), retry_seconds=0)
    embedder.embed_documents(["one", "two", "three"])
    assert embedder.usage.cost_usd == pytest.approx(6e-6)
