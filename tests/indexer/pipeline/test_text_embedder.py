"""A local model embeds in worker processes what they extract, a service is asked by this one."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

from indexer.embedding import open_embedder
from indexer.embedding.base import Usage
from indexer.embedding.builtin import SPEC
from indexer.errors import EmbedderMismatchError, EmbedderUnavailableError
from indexer.pipeline.tasks import extract_in_worker
from indexer.pipeline.text_embedder import text_embedder
from indexer.pipeline.worker_pool import WorkerPool
from indexer.records.files import SourceFile, TreeEntry
from indexer.records.vectors import EmbedderConfig, EmbedderSpec, LocalModel
from tests.embedding_servers import Trouble, ollama_server

SECRETIVE = EmbedderConfig(openai_api_key="sk-secret")
OLLAMA = EmbedderSpec("ollama", "nomic-embed-text", 768)
TEXTS = [f"text{number}" for number in range(40)]
FILES = [
    SourceFile(TreeEntry(f"{name}.py", "100644", "a" * 40, 9), code.encode())
    for name, code in (
        ("one", "class A:\n    def f(self): pass\n" + "    x = 1\n" * 300),
        ("long", "VALUES = " + "[1, 'a value'] + " * 400 + "[]\n"),
        ("empty", ""),
    )
]


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(2) as pool:
        yield pool


def test_the_packaged_model_embeds_where_files_are_extracted(pool: WorkerPool) -> None:
    embedder = text_embedder(SPEC, SECRETIVE, pool)
    embedder.check()
    assert embedder.model == LocalModel(SPEC)  # and no secret
    extract = partial(extract_in_worker, dimensions=SPEC.dimensions, batch_bytes=1_000_000)
    texts = list(pool.extract(FILES, extract))
    with_vectors = list(pool.extract(FILES, partial(extract, model=embedder.model)))
    assert [one.file for one in with_vectors] == [one.file for one in texts]
    assert [one.digests for one in with_vectors] == [one.digests for one in texts]
    for one, text in zip(with_vectors, texts, strict=True):
        vectors = np.frombuffer(b"".join(embedder.embed(one.inputs)), "<f4")
        expected = open_embedder(SPEC).embed_documents([str(given) for given in text.inputs])
        np.testing.assert_array_equal(vectors.reshape(-1, SPEC.dimensions), expected)
    assert embedder.usage == Usage()


def test_a_mismatch_is_an_error_and_no_death(pool: WorkerPool) -> None:
    other = EmbedderSpec("builtin", "aeterna-static-1", 128)
    with pytest.raises(EmbedderMismatchError):
        text_embedder(other, SECRETIVE, pool).check()


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
