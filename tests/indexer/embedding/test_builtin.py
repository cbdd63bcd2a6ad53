"""The packaged static model."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from indexer.embedding.builtin import SPEC, StaticEmbedder, open_static
from indexer.embedding.static_model import PACKAGED_FOLDER
from indexer.records.vectors import Matrix
from indexer.words import split_words

# What model2vec 0.10.0 itself made of TEXTS, with its own code.
GOLDEN = Path(__file__).parent / "data" / "model2vec.npy"
TEXTS = [
    "",
    "{}();",
    "def retry(): ...",
    "where is the retry logic",
    "getUserName get_user_name HTTPServer2 URLs parseURLs x86_64 IOError2B",
    "größeÄnderung naïve café cafe\u0301 ﬁle № ① 中文字符 Ünïcödé—dash İstanbul",
    "a" * 61 + " " + "b" * 60,
    "word " * 700,
    "antidisestablishmentarianism " * 300,
    "qzxjv kqwz " * 200,
    "retry\nclass Retry:\n    def __call__(self, *args: object) -> None:\n"
    "        raise NotImplementedError\n",
    "x" * 3583 + "Yz " * 4,
    "z 1" * 1300,
]
# Letters that the tokenizer splits, lowers or knows; marks and signs between them.
CODE = st.text(st.sampled_from("aBRUsLs9_ .\n-éÄßİﬁ\u0301№中—"), max_size=60)
ANY_TEXT = CODE | st.text(st.characters(exclude_categories=["Cs"]))


class Reference:
    """The mean of the tokens of the whole text, as the card says."""

    def __init__(self) -> None:
        self._table = load_file(PACKAGED_FOLDER / "model.safetensors")["embeddings"]
        self._tokenizer = Tokenizer.from_file(str(PACKAGED_FOLDER / "tokenizer.json"))
        self._tokenizer.enable_truncation(512)
        self._unknown = self._tokenizer.token_to_id("[UNK]")

    def encode(self, texts: Sequence[str]) -> Matrix:
        rows = np.zeros((len(texts), SPEC.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            ids = self._tokenizer.encode(text[:3584], add_special_tokens=False).ids
            known = [one for one in ids if one != self._unknown]
            if known:
                row[:] = self._table[known].mean(axis=0)
        encoded: Matrix = rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-32)
        return encoded


@pytest.fixture(scope="module")
def reference() -> Reference:
    return Reference()


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return open_static(SPEC, None)


def test_vectors_are_those_of_model2vec(embedder: StaticEmbedder, reference: Reference) -> None:
    golden = np.load(GOLDEN)
    np.testing.assert_array_max_ulp(embedder.embed_documents(TEXTS), golden, maxulp=2)
    np.testing.assert_array_max_ulp(reference.encode(TEXTS), golden, maxulp=2)


def test_vectors_have_the_promised_shape_and_length(embedder: StaticEmbedder) -> None:
    vectors = embedder.embed_documents(["retry\ndef retry(): ...", "login\nclass Login: ..."])
    assert embedder.spec == SPEC
    assert vectors.shape == (2, SPEC.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


@given(st.lists(ANY_TEXT, max_size=5))
def test_any_text_is_embedded_as_the_card_says(
    embedder: StaticEmbedder, reference: Reference, texts: list[str]
) -> None:
    expected = reference.encode(texts)
    np.testing.assert_array_equal(embedder.embed_documents(texts), expected)
    words = list(map(split_words, texts))
    np.testing.assert_array_equal(embedder.embed_words(texts, words), expected)


def test_code_of_any_length_is_embedded_as_the_card_says(
    embedder: StaticEmbedder, reference: Reference
) -> None:
    code = Path(__file__).read_text()
    texts = [code[:length] for length in (1, 80, 500, 3500, 3584, 3585, None)] + [code * 9]
    expected = reference.encode(texts)
    np.testing.assert_array_equal(embedder.embed_documents(texts), expected)
    words = list(map(split_words, texts))
    np.testing.assert_array_equal(embedder.embed_words(texts, words), expected)


def test_query_is_nearest_to_the_code_that_answers_it(embedder: StaticEmbedder) -> None:
    documents = embedder.embed_documents(
        [
            "backoff\ndef retry_with_backoff(call, attempts):\n    for n in range(attempts): ...",
            "invoice\ndef total(lines):\n    return sum(line.amount for line in lines)",
            "session Login\ndef check_password(self, user, password): ...",
        ]
    )
    queries = embedder.embed_queries(["where is the retry logic", "verify a user's password"])
    assert (queries @ documents.T).argmax(axis=1).tolist() == [0, 2]


def test_spelling_of_identifiers_does_not_matter(embedder: StaticEmbedder) -> None:
    camel, snake, plain = embedder.embed_queries(["getUserName", "get_user_name", "get user name"])
    np.testing.assert_allclose(camel, snake, atol=1e-6)
    np.testing.assert_allclose(camel, plain, atol=1e-6)


def test_text_in_which_nothing_is_known_gives_a_zero_row(embedder: StaticEmbedder) -> None:
    vectors = embedder.embed_documents(["", "{}();", "def known(): ..."])
    assert vectors.any(axis=1).tolist() == [False, False, True]


def test_no_texts_give_no_rows(embedder: StaticEmbedder) -> None:
    assert embedder.embed_documents([]).shape == (0, SPEC.dimensions)


@given(st.lists(st.text(st.characters(), max_size=50), max_size=5))
def test_any_text_gives_a_unit_or_zero_row_that_its_neighbours_do_not_change(
    embedder: StaticEmbedder, texts: list[str]
) -> None:
    together = embedder.embed_documents(texts)
    lengths = np.linalg.norm(together, axis=1)
    assert np.all(np.isclose(lengths, 1.0, atol=1e-4) | (lengths == 0.0))
    for row, text in zip(together, texts, strict=True):
        np.testing.assert_allclose(row, embedder.embed_queries([text])[0], atol=1e-6)


def test_rows_keep_their_order_across_batches(embedder: StaticEmbedder) -> None:
    texts = [f"function number{n % 7} alpha" for n in range(2500)]
    vectors = embedder.embed_documents(texts)
    np.testing.assert_allclose(vectors[:7], vectors[7 * 300 : 7 * 301], atol=1e-6)
    assert vectors.any(axis=1).all()


def test_threads_may_share_an_embedder(embedder: StaticEmbedder) -> None:
    expected = embedder.embed_queries(["where is the retry logic"])
    with ThreadPoolExecutor(8) as threads:
        answers = threads.map(
            lambda _: embedder.embed_queries(["where is the retry logic"]), range(200)
        )
        assert all(np.array_equal(answer, expected) for answer in answers)
