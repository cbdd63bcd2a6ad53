"""The packaged static model."""

from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model2vec import StaticModel

from indexer.embedding import open_embedder
from indexer.embedding.base import Embedder
from indexer.embedding.builtin import SPEC


@pytest.fixture(scope="module")
def reference() -> StaticModel:
    """The same model, loaded as its card says."""
    return StaticModel.from_pretrained(str(files("indexer") / "embedding" / "model"))


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return open_embedder(SPEC)


def test_vectors_have_the_promised_shape_and_length(embedder: Embedder) -> None:
    vectors = embedder.embed_documents(["retry\ndef retry(): ...", "login\nclass Login: ..."])
    assert embedder.spec == SPEC
    assert vectors.shape == (2, SPEC.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=5))
def test_any_text_is_embedded_as_the_card_says(
    embedder: Embedder, reference: StaticModel, texts: list[str]
) -> None:
    np.testing.assert_array_equal(embedder.embed_documents(texts), reference.encode(texts))


def test_code_of_any_length_is_embedded_as_the_card_says(
    embedder: Embedder, reference: StaticModel
) -> None:
    code = Path(__file__).read_text()
    texts = [code[:length] for length in (1, 80, 500, 3500, 3584, 3585, None)] + [code * 9]
    np.testing.assert_array_equal(embedder.embed_documents(texts), reference.encode(texts))


def test_query_is_nearest_to_the_code_that_answers_it(embedder: Embedder) -> None:
    documents = embedder.embed_documents(
        [
            "backoff\ndef retry_with_backoff(call, attempts):\n    for n in range(attempts): ...",
            "invoice\ndef total(lines):\n    return sum(line.amount for line in lines)",
            "session Login\ndef check_password(self, user, password): ...",
        ]
    )
    queries = embedder.embed_queries(["where is the retry logic", "verify a user's password"])
    assert (queries @ documents.T).argmax(axis=1).tolist() == [0, 2]


def test_spelling_of_identifiers_does_not_matter(embedder: Embedder) -> None:
    camel, snake, plain = embedder.embed_queries(["getUserName", "get_user_name", "get user name"])
    np.testing.assert_allclose(camel, snake, atol=1e-6)
    np.testing.assert_allclose(camel, plain, atol=1e-6)


def test_text_in_which_nothing_is_known_gives_a_zero_row(embedder: Embedder) -> None:
    vectors = embedder.embed_documents(["", "{}();", "def known(): ..."])
    assert vectors.any(axis=1).tolist() == [False, False, True]


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed_documents([]).shape == (0, SPEC.dimensions)


@given(st.lists(st.text(st.characters(), max_size=50), max_size=5))
def test_any_text_gives_a_unit_or_zero_row_that_its_neighbours_do_not_change(
    embedder: Embedder, texts: list[str]
) -> None:
    together = embedder.embed_documents(texts)
    lengths = np.linalg.norm(together, axis=1)
    assert np.all(np.isclose(lengths, 1.0, atol=1e-4) | (lengths == 0.0))
    for row, text in zip(together, texts, strict=True):
        np.testing.assert_allclose(row, embedder.embed_queries([text])[0], atol=1e-6)


def test_rows_keep_their_order_across_batches(embedder: Embedder) -> None:
    texts = [f"function number{n % 7} alpha" for n in range(2500)]
    vectors = embedder.embed_documents(texts)
    np.testing.assert_allclose(vectors[:7], vectors[7 * 300 : 7 * 301], atol=1e-6)
    assert vectors.any(axis=1).all()


def test_threads_may_share_an_embedder(embedder: Embedder) -> None:
    expected = embedder.embed_queries(["where is the retry logic"])
    with ThreadPoolExecutor(8) as threads:
        answers = threads.map(
            lambda _: embedder.embed_queries(["where is the retry logic"]), range(200)
        )
        assert all(np.array_equal(answer, expected) for answer in answers)
