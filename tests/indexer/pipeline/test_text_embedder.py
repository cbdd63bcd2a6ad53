"""A local model embeds in worker processes, a service is asked by this one."""

import os
import signal
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from indexer.embedding.base import Usage
from indexer.embedding.builtin import SPEC
from indexer.errors import EmbedderMismatchError, EmbedderUnavailableError
from indexer.pipeline import text_embedder as embedders
from indexer.pipeline.text_embedder import LocalEmbedder, text_embedder
from indexer.pipeline.worker_pool import WorkerPool
from indexer.records.vectors import EmbedderConfig, EmbedderSpec
from tests.embedding_servers import Trouble, ollama_server

SECRETIVE = EmbedderConfig(openai_api_key="sk-secret")
OLLAMA = EmbedderSpec("ollama", "nomic-embed-text", 768)
TEXTS = [f"text{number}" for number in range(600)]


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(2) as pool:
        yield pool


def numbered(spec: EmbedderSpec, access: EmbedderConfig, texts: Sequence[str]) -> bytes:
    """A model that gives each text its number; it dies of "deadly" and of secrets."""
    if "deadly" in texts or access.openai_api_key:
        os.kill(os.getpid(), signal.SIGKILL)
    rows = np.zeros((len(texts), spec.dimensions), np.float32)
    rows[:, 0] = [float(text.removeprefix("text")) for text in texts]
    return rows.tobytes()


def numbers(vectors: Sequence[bytes]) -> list[float]:
    return [float(np.frombuffer(vector, "<f4")[0]) for vector in vectors]


def test_the_packaged_model_embeds_in_a_worker(pool: WorkerPool) -> None:
    embedder = text_embedder(SPEC, SECRETIVE, pool)
    embedder.check()
    one, other = (np.frombuffer(row, "<f4") for row in embedder.embed(["def f(): pass", "x = 1"]))
    assert float(one @ one) == pytest.approx(1.0, abs=1e-3)
    assert one.shape == other.shape == (SPEC.dimensions,)
    assert embedder.usage == Usage()


def test_a_mismatch_is_an_error_and_no_death(pool: WorkerPool) -> None:
    other = EmbedderSpec("builtin", "aeterna-static-1", 128)
    with pytest.raises(EmbedderMismatchError):
        text_embedder(other, SECRETIVE, pool).check()


def test_vectors_keep_the_order_of_their_texts_and_workers_get_no_secret(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedders, "_embed", numbered)
    embedder = LocalEmbedder(SPEC, SECRETIVE, pool)
    assert numbers(embedder.embed(TEXTS)) == list(range(600))


def test_a_text_that_kills_its_process_gets_a_zero_vector_and_costs_no_other(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(embedders, "_embed", numbered)
    embedder = LocalEmbedder(SPEC, SECRETIVE, pool)
    assert numbers(embedder.embed(["text1", "deadly", "text3"])) == [1.0, 0.0, 3.0]
    assert "its vector is zero" in caplog.text


def test_a_service_is_asked_and_what_it_did_before_it_gave_out_is_packed(
    pool: WorkerPool,
) -> None:
    with ollama_server() as server:
        access = EmbedderConfig(ollama_url=server.url, retry_seconds=0)
        embedder = text_embedder(OLLAMA, access, pool)
        assert embedder.usage == Usage()
        embedder.check()
        (whole,) = embedder.embed(["text1"])
        assert len(whole) == 4 * OLLAMA.dimensions
        assert embedder.usage.requests == 2
        server.troubles = [Trouble.BROKEN] * 9
        with pytest.raises(EmbedderUnavailableError) as caught:
            embedder.embed(["", *TEXTS[:40]])
    assert caught.value.done == {0: bytes(4 * OLLAMA.dimensions)}
