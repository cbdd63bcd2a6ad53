"""The embedder of OpenAI and of what speaks like it, against a stand-in over real HTTP."""

import traceback
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from indexer.embedding import open_embedder
from indexer.embedding.base import Embedder
from indexer.embedding.catalogue import openai_price
from indexer.embedding.openai import LIMITS
from indexer.errors import (
    EmbedderMismatchError,
    EmbedderUnavailableError,
    EmbeddingError,
)
from indexer.records.vectors import EmbedderConfig, EmbedderSpec
from tests.embedding_servers import KEY, Server, Trouble, count_tokens, openai_server

SMALL = EmbedderSpec("openai", "text-embedding-3-small", 1536)


@pytest.fixture
def server() -> Iterator[Server]:
    with openai_server() as running:
        yield running


def opened(server: Server, spec: EmbedderSpec = SMALL, **changes: object) -> Embedder:
    access = EmbedderConfig(
        openai_api_key=KEY, openai_base_url=server.url, timeout_seconds=5, retry_seconds=3
    )
    return open_embedder(spec, replace(access, **changes))


def test_vectors_are_the_models_made_unit_length(server: Server) -> None:
    texts = ["retry\ndef retry(): ...", "login\nclass Login: ..."]
    vectors = opened(server).embed_documents(texts)
    expected = server.vectors(texts)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert server.requests[0]["model"] == "text-embedding-3-small"


def test_a_shorter_vector_is_asked_for_where_the_model_can_be_cut(server: Server) -> None:
    vectors = opened(server, replace(SMALL, dimensions=256)).embed_queries(["retry"])
    assert vectors.shape == (1, 256)
    assert server.requests[0]["dimensions"] == 256


def test_other_models_are_not_asked_for_dimensions() -> None:
    with openai_server(64, model="bge-small") as server:
        assert opened(server, EmbedderSpec("openai", "bge-small", 64)).embed_queries(["x"]).any()
    assert "dimensions" not in server.requests[0]


def test_text_of_nothing_is_not_sent_and_gives_a_zero_row(server: Server) -> None:
    vectors = opened(server).embed_documents(["", " \n\t", "known"])
    assert vectors.any(axis=1).tolist() == [False, False, True]
    assert server.texts == ["known"]


def test_no_texts_ask_for_nothing(server: Server) -> None:
    assert opened(server).embed_documents(["", ""]).shape == (2, 1536)
    assert opened(server).embed_documents([]).shape == (0, 1536)
    assert server.requests == []


def test_a_lone_surrogate_is_sent_as_a_question_mark(server: Server) -> None:
    assert opened(server).embed_queries(["half \ud800 pair"]).any()
    assert server.texts == ["half ? pair"]


def test_order_is_told_by_the_index_of_each_vector(server: Server) -> None:
    texts = [f"function number{n}" for n in range(20)]
    expected = opened(server).embed_documents(texts)
    server.troubles = [Trouble.SHUFFLED]
    np.testing.assert_array_equal(opened(server).embed_documents(texts), expected)


def test_a_direction_that_is_none_gives_a_zero_row(server: Server) -> None:
    server.troubles = [Trouble.ALL_ZERO]
    assert not opened(server).embed_queries(["odd"]).any()


def test_requests_keep_the_limits_of_the_service_and_rows_their_order(server: Server) -> None:
    server.dimensions = 8
    texts = [f"number{n} " + "." * (n % 7 * 300) for n in range(1200)]
    embedder = opened(server, EmbedderSpec("openai", "small", 8))
    server.models.add("small")
    vectors = embedder.embed_documents(texts)
    np.testing.assert_allclose((vectors * server.vectors(texts)).sum(axis=1) > 0, True)
    assert sorted(server.texts) == sorted(texts)
    assert max(len(body["input"]) for body in server.requests) <= 2_048
    assert 1 < server.most_at_once <= LIMITS.requests
    assert embedder.usage.requests == len(server.requests) > 4
    assert embedder.usage.tokens == sum(map(count_tokens, texts))


def test_no_request_can_hold_more_tokens_than_the_service_takes() -> None:
    longest_token_count = LIMITS.bytes  # no token is shorter than a byte
    assert longest_token_count < 300_000
    assert LIMITS.texts <= 2_048


def test_too_many_tokens_for_one_request_are_sent_in_several(server: Server) -> None:
    server.most_tokens = 100
    texts = [f"number{n} alpha beta gamma" for n in range(40)]
    vectors = opened(server).embed_documents(texts)
    assert (vectors @ server.vectors(texts).T).argmax(axis=1).tolist() == list(range(40))


def test_too_many_texts_for_one_request_are_sent_in_several(server: Server) -> None:
    server.most_texts = 8
    assert opened(server).embed_documents([f"n{n}" for n in range(50)]).any(axis=1).all()


def test_a_text_that_is_longer_than_the_model_reads_is_cut(server: Server) -> None:
    server.most_text_tokens = 1_000
    vectors = opened(server).embed_documents(["short", "long " * 9_000])
    assert vectors.any(axis=1).all()
    assert len(server.texts[-1].encode()) <= 3_000
    assert server.texts[-1].startswith("long long")


@pytest.mark.parametrize(
    "trouble",
    [
        Trouble.BUSY,
        Trouble.BROKEN,
        Trouble.SLOW,
        Trouble.DROPPED,
        Trouble.TRUNCATED,
        Trouble.CUT,
        Trouble.TOO_FEW,
        Trouble.NOT_FINITE,
    ],
)
def test_trouble_that_passes_is_waited_for(server: Server, trouble: Trouble) -> None:
    embedder = opened(server)
    embedder.check()  # a slow start of this machine is no trouble of the service
    server.troubles = [trouble]
    embedder = opened(server, timeout_seconds=0.5 if trouble is Trouble.SLOW else 5.0)
    assert embedder.embed_queries(["retry"]).any()
    assert embedder.usage.requests == 2


def test_the_pause_that_a_service_asks_for_is_kept(server: Server) -> None:
    server.troubles, server.retry_after = [Trouble.BUSY], "3600"
    with pytest.raises(EmbedderUnavailableError, match=r"HTTP 429.*asks to wait 3600 s"):
        opened(server).embed_queries(["retry"])
    assert len(server.requests) == 1


def test_waiting_ends_when_the_time_is_up(server: Server) -> None:
    server.troubles = [Trouble.BROKEN] * 50
    with pytest.raises(EmbedderUnavailableError, match="HTTP 500: The server had an error"):
        opened(server, retry_seconds=0.3).embed_queries(["retry"])
    assert 2 <= len(server.requests) < 10


def test_a_service_that_is_not_there_says_what_to_check(server: Server) -> None:
    with pytest.raises(EmbedderUnavailableError, match=r"ConnectError.*check OPENAI_BASE_URL"):
        opened(server, openai_base_url="http://127.0.0.1:1/v1", retry_seconds=0).check()


def test_what_was_embedded_before_a_service_gave_out_is_handed_over(server: Server) -> None:
    texts = ["", *(f"number{n} " + "." * 22_000 for n in range(24))]  # ten a request
    whole = opened(server).embed_documents(texts)
    server.troubles, server.requests = [Trouble.QUOTA], []
    with pytest.raises(EmbedderUnavailableError, match="insufficient_quota") as caught:
        opened(server).embed_documents(texts)
    done = caught.value.done
    assert 0 in done
    assert len(done) < len(texts)
    for index, vector in done.items():
        np.testing.assert_array_equal(vector, whole[index])
    assert {texts[index][:8] for index in done if index} <= {text[:8] for text in server.texts}


def test_a_quota_that_is_used_up_is_not_waited_for(server: Server) -> None:
    server.troubles = [Trouble.QUOTA] * 2
    with pytest.raises(EmbedderUnavailableError, match="plan and the billing"):
        opened(server).check()
    assert len(server.requests) == 1


def test_a_key_that_is_refused_is_named_and_not_shown(server: Server) -> None:
    server.key = "sk-another-key-00000000"
    with pytest.raises(EmbeddingError, match=r"HTTP 401\): check OPENAI_API_KEY") as caught:
        opened(server).check()
    told = "".join(traceback.format_exception(caught.value))
    assert KEY not in told
    assert KEY[:8] not in told
    assert KEY[-4:] not in told
    assert len(server.requests) == 1


def test_no_key_says_what_to_set(server: Server) -> None:
    with pytest.raises(EmbeddingError, match="set OPENAI_API_KEY, or OPENAI_API_KEY_FILE"):
        opened(server, openai_api_key=None)


@pytest.mark.parametrize("key", ["sk-two\nlines", "sk-\u00e9", "sk a"])
def test_a_key_that_no_header_may_hold_is_refused_without_being_told(
    server: Server, key: str
) -> None:
    with pytest.raises(EmbeddingError, match="OPENAI_API_KEY is no key") as caught:
        opened(server, openai_api_key=key)
    assert key not in str(caught.value)


def test_a_model_that_is_not_there_is_a_mismatch(server: Server) -> None:
    server.models = {"another"}
    with pytest.raises(EmbedderMismatchError, match="has no text-embedding-3-small"):
        opened(server).check()


def test_an_address_of_something_else_says_so_at_once(server: Server) -> None:
    server.troubles = [Trouble.A_PAGE]
    with pytest.raises(EmbeddingError, match="not in JSON: check OPENAI_BASE_URL"):
        opened(server).check()
    with pytest.raises(EmbedderMismatchError, match="ends in /v1"):
        opened(server, openai_base_url=server.url.removesuffix("/v1")).check()


def test_vectors_of_another_length_name_both_sides_and_what_to_set() -> None:
    with openai_server(64, model="bge-small") as server:
        embedder = opened(server, EmbedderSpec("openai", "bge-small", 384))
        with pytest.raises(
            EmbedderMismatchError,
            match="64 dimensions, the organisation's embedder is openai/bge-small/384: "
            "set that to openai/bge-small/64",
        ):
            embedder.check()


def test_a_refused_request_tells_why(server: Server) -> None:
    server.models.add("text-embedding-ada-002")
    server.most_text_tokens = 0
    with pytest.raises(EmbeddingError, match="HTTP 400: This model's maximum context length"):
        opened(server).check()


def test_prices_are_known_of_openais_own_host_alone() -> None:
    own = "https://api.openai.com/v1"
    assert openai_price(own, "text-embedding-3-small") == 0.02
    assert openai_price(own, "another") is None
    assert openai_price("https://gateway.example/v1", "text-embedding-3-small") is None


def test_tokens_and_dollars_are_counted(server: Server) -> None:
    spec, access = SMALL, EmbedderConfig(openai_api_key=KEY)
    assert open_embedder(spec, access).usage.cost_usd == 0.0
    embedder = opened(server)
    embedder.embed_documents(["retry", "login"])
    usage = embedder.usage
    assert (usage.requests, usage.tokens, usage.cost_usd) == (1, 4, None)
