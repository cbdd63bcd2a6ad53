"""BM25 tokens and term weights: the lexical half of the search.

A term weight is the term-frequency part of BM25 (Robertson & Zaragoza 2009, section 3.4); central
applies the inverse document frequency when it searches. Nothing here depends on other documents,
so a chunk's terms are a function of the file alone.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from pathlib import PurePosixPath
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from indexer.records.vectors import TermVector
from indexer.words import WordTable, split_words

K1 = 1.2
B = 0.75
# Tokens of a typical chunk of Python, measured; a store-wide mean would tie chunks together.
AVERAGE_LENGTH = 80.0

# Of a word in a chunk's text, in its name, in the file's stem and in its directories.
_FIELD_WEIGHTS: Final = (1.0, 2.0, 1.0, 0.5)

MAX_TOKEN_CHARACTERS = 64
MAX_WORD_CHARACTERS = 256
_MIN_HEX_CHARACTERS = 16
_MIN_BLOB_CHARACTERS = 20
_MIN_MEAN_PART_CHARACTERS = 2.5

# pgvector's sparsevec takes at most 1e9 dimensions, and dimension 0 does not exist there.
_TERM_ID_BITS: Final = 29
_TERM_ID_MASK: Final = (1 << _TERM_ID_BITS) - 1

_WORD = re.compile(r"\w+")
_ASCII_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_HEX = re.compile(r"(?:0x)?(?=.*[0-9])[0-9a-fA-F]+")
_DIGIT = re.compile(r"[0-9]")


def tokenize(text: str) -> list[str]:
    """Return the tokens of `text` in order, in lower case: each identifier, then its parts.

    `getUserName` and `get_user_name` both give getusername, get, user, name. Long hexadecimal
    and base64 runs are dropped.
    """
    return [token for word in _words(text) for token in _word_tokens(word)]


def term_id(token: str) -> int:
    """Return the token's dimension: 29 bits of the CRC-32 of its UTF-8 form, at least 1."""
    return (crc32(token.encode()) & _TERM_ID_MASK) or 1


def query_terms(text: str) -> dict[int, int]:
    """Count a query's terms by id; colliding tokens are counted together."""
    counts: dict[int, int] = {}
    for token in tokenize(text):
        term = term_id(token)
        counts[term] = counts.get(term, 0) + 1
    return counts


def document_terms(
    *, path: str, names: Sequence[str], words: Sequence[Sequence[str]]
) -> list[TermVector]:
    """Return the weights of the terms of a file's chunks, given by the words of their texts.

    They are tf * (k1+1) / (tf + k1 * (1-b + b * length/AVERAGE_LENGTH)). The definitions' dotted
    `names`, the file's stem and its directories count as additional occurrences of their words,
    with modest weights.
    """
    pure = PurePosixPath(path)
    stem, directories = split_words(pure.stem), split_words(str(pure.parent))
    chunks = [
        (text, split_words(name), stem, directories)
        for name, text in zip(names, words, strict=True)
    ]
    return field_terms(chunks, _FIELD_WEIGHTS)


def field_terms(
    documents: Sequence[Sequence[Sequence[str]]], weights: Sequence[float]
) -> list[TermVector]:
    """Return the weights of the terms of documents: words by field, each with its weight."""
    fields = list(chain.from_iterable(documents))
    rows = _TERMS.rows(list(chain.from_iterable(fields)))
    # Of each word the document and the weight, then of each term.
    sizes = [len(field) for field in fields]
    owners = np.repeat(np.arange(len(fields)) // len(weights), sizes)
    counts = np.repeat(np.tile(np.asarray(weights, float), len(documents)), sizes)
    return _weigh(
        np.repeat(owners, rows.lengths),
        rows.values,
        np.repeat(counts, rows.lengths),
        len(documents),
    )


def _weigh(
    chunks: NDArray[np.int64], terms: NDArray[np.int64], counts: NDArray[np.float64], total: int
) -> list[TermVector]:
    """Return the vectors of `total` chunks, from the occurrences of terms in them."""
    keys = chunks << _TERM_ID_BITS | terms
    order = keys.argsort()
    keys = keys[order]
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    tf = np.add.reduceat(counts[order], firsts) if len(firsts) else np.zeros(0)
    chunks, ids = keys[firsts] >> _TERM_ID_BITS, (keys[firsts] & _TERM_ID_MASK).astype(np.uint32)
    lengths = np.bincount(chunks, tf, total)
    norms = K1 * (1.0 - B + B * lengths / AVERAGE_LENGTH)
    weights = (tf * (K1 + 1.0) / (tf + norms[chunks])).astype(np.float32)
    bounds = np.searchsorted(chunks, np.arange(total + 1)).tolist()
    return [TermVector(ids[start:end], weights[start:end]) for start, end in pairwise(bounds)]


def _read_terms(words: Sequence[str]) -> Iterator[list[int]]:
    """Return the terms of each word; one beyond ASCII may hold several words."""
    for word in words:
        yield [term_id(token) for part in _words(word) for token in _word_tokens(part)]


_TERMS: Final = WordTable(_read_terms)


def _words(text: str) -> list[str]:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _WORD.findall(text)


def _word_tokens(word: str) -> tuple[str, ...]:
    """Return the whole identifier without underscores and, if it has several, its parts."""
    if len(word) <= MAX_TOKEN_CHARACTERS and word.isascii() and word.isalpha() and word.islower():
        return (word,)  # most words
    if len(word) > MAX_WORD_CHARACTERS:
        return ()
    parts = _ASCII_PART.findall(word) if word.isascii() else _unicode_parts(word)
    if not parts or _is_blob(word, parts):
        return ()
    if len(parts) == 1:
        tokens = [parts[0].lower()]
    else:
        tokens = ["".join(parts).lower(), *(part.lower() for part in parts)]
    return tuple(token for token in tokens if len(token) <= MAX_TOKEN_CHARACTERS)


def _is_blob(word: str, parts: list[str]) -> bool:
    """Whether the word is data (a digest, base64) and not an identifier."""
    if len(word) >= _MIN_HEX_CHARACTERS and _HEX.fullmatch(word):
        return True
    return (
        len(word) >= _MIN_BLOB_CHARACTERS
        and "_" not in word
        and len(word) / len(parts) < _MIN_MEAN_PART_CHARACTERS
        and _DIGIT.search(word) is not None
    )


def _unicode_parts(word: str) -> list[str]:
    """Split as the ASCII pattern does, by the Unicode classes of the characters."""
    parts: list[str] = []
    kinds = [_kind(character) for character in word]
    start = 0
    for index in range(1, len(word) + 1):
        if index == len(word) or _is_boundary(kinds, index):
            part = word[start:index].strip("_")
            if part:
                parts.append(part)
            start = index
    return parts


def _kind(character: str) -> str:
    if character == "_":
        return "_"
    if character.isnumeric():
        return "0"
    return "A" if character.isupper() else "a"


def _is_boundary(kinds: list[str], index: int) -> bool:
    before, after = kinds[index - 1], kinds[index]
    if before == after:
        # The last capital of an acronym starts the next word: HTTPServer.
        return before == "A" and kinds[index + 1 : index + 2] == ["a"]
    return not (before == "A" and after == "a")
