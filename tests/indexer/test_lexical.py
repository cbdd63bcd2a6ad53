"""Tokens, term ids and term weights."""

import re
from pathlib import PurePosixPath
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.lexical import AVERAGE_LENGTH, K1, B, document_terms, query_terms, term_id, tokenize
from indexer.records.vectors import TermVector
from indexer.words import split_words

MAX_TERM_ID = 2**29 - 1
# Words and what separates them: ASCII, letters that NFKC changes, marks, and signs with which a
# mark is composed.
CODE = st.text(
    st.sampled_from("aBc9_ .=<\n\t-\u00df\u00e9\u0301\u0338\ufb01\u2460\u4e2d\u2014\u00a8")
)


def terms_of(path: str, name: str, text: str) -> TermVector:
    """The terms of a file's only chunk."""
    return document_terms(path=path, names=[name], words=[split_words(text)])[0]


def terms_by_definition(path: str, name: str, text: str) -> dict[int, np.float32]:
    """The weights of a chunk's terms, token by token."""
    pure = PurePosixPath(path)
    tf: dict[int, float] = {}
    for field, weight in ((text, 1), (name, 2), (pure.stem, 1), (str(pure.parent), 0.5)):
        for token in tokenize(field):
            tf[term_id(token)] = tf.get(term_id(token), 0) + weight
    norm = K1 * (1 - B + B * sum(tf.values()) / AVERAGE_LENGTH)
    return {term: np.float32(tf[term] * (K1 + 1) / (tf[term] + norm)) for term in sorted(tf)}


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("get_user_name", ["getusername", "get", "user", "name"]),
        ("HTTPServer2", ["httpserver2", "http", "server", "2"]),
        ("IOError", ["ioerror", "io", "error"]),
        ("user", ["user"]),
        ("__init__", ["init"]),
        ("MAX_RETRIES", ["maxretries", "max", "retries"]),
        ("größeÄnderung", ["größeänderung", "größe", "änderung"]),
        ("ÄÖServer", ["äöserver", "äö", "server"]),
        ("日本語", ["日本語"]),
        ("a.b(c)", ["a", "b", "c"]),
        ("_ -- !", []),
    ],
)
def test_identifiers_are_split(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    "blob",
    [
        "d41d8cd98f00b204e9800998ecf8427e",
        "0xDEADBEEFDEADBEEF1",
        "dGhpc0lzQmFzZTY0RGF0YTEyMw",
        "x" * 300,
    ],
)
def test_data_is_dropped(blob: str) -> None:
    assert tokenize(f"key {blob} value") == ["key", "value"]


def test_long_name_keeps_its_parts_only() -> None:
    name = "test_that_the_customer_" + "is_told_why_the_order_" * 3 + "was_refused"
    assert "".join(name.split("_")) not in tokenize(name)
    assert {"customer", "order", "refused"} <= set(tokenize(name))


def test_composed_and_decomposed_letters_are_one_token() -> None:
    assert tokenize("caf\u00e9") == tokenize("cafe\u0301")


def test_term_id_is_the_checksum_in_29_bits() -> None:
    assert term_id("user") == crc32(b"user") & 0x1FFFFFFF


@given(st.text())
def test_tokens_are_lower_case_words_with_ids_that_stores_accept(text: str) -> None:
    for token in tokenize(text):
        assert re.fullmatch(r"\w+", token.replace("\u0307", "")) or not token.isascii()
        assert 1 <= term_id(token) <= MAX_TERM_ID
    assert sum(query_terms(text).values()) == len(tokenize(text))


@given(st.text(), st.text(max_size=30))
def test_document_ids_ascend_and_weights_are_bounded(text: str, name: str) -> None:
    terms = terms_of("src/auth/login.py", name, text)
    assert terms.ids.dtype == np.uint32
    assert terms.weights.dtype == np.float32
    assert (np.diff(terms.ids.astype(np.int64)) > 0).all()
    assert ((terms.weights > 0) & (terms.weights < 2.2)).all()


@given(CODE | st.text(), st.lists(st.tuples(CODE, CODE | st.text()), max_size=4))
def test_the_terms_of_a_files_chunks_are_those_of_the_definition(
    stem: str, chunks: list[tuple[str, str]]
) -> None:
    path = f"src/auth/{stem}.py"
    names, texts = [name for name, _ in chunks], [text for _, text in chunks]
    found = document_terms(path=path, names=names, words=list(map(split_words, texts)))
    assert [dict(zip(one.ids.tolist(), one.weights, strict=True)) for one in found] == [
        terms_by_definition(path, name, text) for name, text in chunks
    ]


def test_weight_is_the_term_frequency_part_of_bm25() -> None:
    terms = terms_of("x.py", "", "user user order")
    weight = terms.weights[terms.ids.tolist().index(term_id("user"))]
    length = 3 + 1  # the three words, and the file's stem
    expected = 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * length / AVERAGE_LENGTH))
    assert weight == pytest.approx(expected, rel=1e-6)


def test_path_and_name_take_part() -> None:
    terms = terms_of("src/billing/invoice.py", "Invoice.send", "pass")
    weights = dict(zip(terms.ids.tolist(), terms.weights.tolist(), strict=True))
    for word in ("billing", "invoice", "send"):
        assert term_id(word) in weights
    assert weights[term_id("invoice")] > weights[term_id("send")] > weights[term_id("billing")]


def test_query_terms_count_occurrences() -> None:
    assert query_terms("user getUser") == {
        term_id("user"): 2,
        term_id("getuser"): 1,
        term_id("get"): 1,
    }
