"""The embedder of Ollama, against a stand-in over real HTTP."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from indexer.embedding import open_embedder
from indexer.embedding.base import Embedder
from indexer.embedding.http import UnreadableAnswerError, unit_rows
from indexer.errors import EmbedderMismatchError, EmbedderUnavailableError, EmbeddingError
from indexer.records.vectors import EmbedderConfig, EmbedderSpec
from tests.embedding_servers import Server, Trouble, ollama_server

NOMIC = EmbedderSpec("ollama", "nomic-embed-text", 768)


@pytest.fixture
def server() -> Iterator[Server]:
    with ollama_server() as running:
        yield running


def opened(server: Server, spec: EmbedderSpec = NOMIC, **changes: object) -> Embedder:
    access = EmbedderConfig(ollama_url=server.url, timeout_seconds=5, retry_seconds=3)
    return open_embedder(spec, replace(access, **changes))


def test_documents_and_queries_have_the_models_prefixes(server: Server) -> None:
    embedder = opened(server)
    embedder.embed_documents(["def retry(): ...", ""])
    embedder.embed_queries(["where is the retry logic"])
    assert server.texts == [
        "search_document: def retry(): ...",
        "search_query: where is the retry logic",
    ]


def test_a_tag_does_not_change_the_prefixes(server: Server) -> None:
    server.models.add("nomic-embed-text:v1.5")
    opened(server, replace(NOMIC, model="nomic-embed-text:v1.5")).embed_queries(["retry"])
    assert server.texts == ["search_query: retry"]


def test_models_without_prefixes_are_given_the_text_alone() -> None:
    with ollama_server(32, model="bge-m3") as server:
        opened(server, EmbedderSpec("ollama", "bge-m3", 32)).embed_documents(["retry"])
    assert server.texts == ["retry"]


def test_vectors_are_the_models_made_unit_length(server: Server) -> None:
    texts = [f"function number{n}" for n in range(100)]
    embedder = opened(server)
    vectors = embedder.embed_documents(texts)
    expected = server.vectors([f"search_document: {text}" for text in texts])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    assert embedder.usage.requests == len(server.requests) > 1
    assert embedder.usage.tokens > 0
    assert embedder.usage.cost_usd is None


def test_a_model_that_was_not_pulled_says_how_to_get_it(server: Server) -> None:
    server.models = set()
    with pytest.raises(EmbedderMismatchError, match="run `ollama pull nomic-embed-text` there"):
        opened(server).check()
    assert len(server.requests) == 1


def test_an_address_of_something_else_says_what_to_check(server: Server) -> None:
    with pytest.raises(EmbeddingError, match=r"knows no /api/embed.*check OLLAMA_URL"):
        opened(server, ollama_url=f"{server.url}/v1").check()


@pytest.mark.parametrize(
    "trouble",
    [
        Trouble.BUSY,
        Trouble.BROKEN,
        Trouble.SLOW,
        Trouble.DROPPED,
        Trouble.TRUNCATED,
        Trouble.CUT,
        Trouble.A_PAGE,
        Trouble.TOO_FEW,
        Trouble.NOT_FINITE,
    ],
)
def test_trouble_that_passes_is_waited_for(server: Server, trouble: Trouble) -> None:
    server.troubles = [trouble]
    embedder = opened(server, timeout_seconds=0.5 if trouble is Trouble.SLOW else 5.0)
    assert embedder.embed_queries(["retry"]).any()
    assert embedder.usage.requests == 2


@pytest.mark.parametrize(
    "rows", [None, 5, "a", [[10**400, 1]], [[1e200, 1e200]], [[None, 1]], [[[1, 2]]], {"a": 1}]
)
def test_rows_that_are_none_are_an_answer_that_cannot_be_used(rows: object) -> None:
    with pytest.raises(UnreadableAnswerError):
        unit_rows(rows, count=1, spec=EmbedderSpec("ollama", "m", 2), service="Ollama")


def test_an_ollama_that_does_not_run_says_what_to_check(server: Server) -> None:
    with pytest.raises(EmbedderUnavailableError, match=r"check OLLAMA_URL, and that `ollama serve"):
        opened(server, ollama_url="http://127.0.0.1:1", retry_seconds=0).check()


def test_what_was_embedded_before_it_gave_out_is_handed_over(server: Server) -> None:
    server.troubles = [Trouble.BROKEN] * 9
    with pytest.raises(EmbedderUnavailableError) as caught:
        opened(server, retry_seconds=0).embed_documents(["", *(f"n{n}" for n in range(90))])
    assert set(caught.value.done) == {0}
    server.troubles = []
    assert opened(server).embed_documents(["n1"]).any()


def test_vectors_of_another_length_name_both_sides_and_what_to_set(server: Server) -> None:
    server.dimensions = 384
    with pytest.raises(
        EmbedderMismatchError, match=r"384 dimensions.* is ollama/nomic-embed-text/768: set"
    ):
        opened(server).check()
