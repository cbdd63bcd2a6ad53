"""BM25 tokens and term weights: the lexical half of the search.

A term weight is the term-frequency part of BM25 (Robertson & Zaragoza 2009, section 3.4); central
applies the inverse document frequency when it searches. Nothing here depends on other documents,
so a chunk's terms are a function of the file alone.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from pathlib import PurePosixPath
from zlib import crc32

import numpy as np

from indexer.records.vectors import TermVector

K1 = 1.2
B = 0.75
# Tokens of a typical chunk of Python, measured; a store-wide mean would tie chunks together.
AVERAGE_LENGTH = 80.0

NAME_WEIGHT = 2.0
STEM_WEIGHT = 1.0
DIRECTORY_WEIGHT = 0.5

MAX_TOKEN_CHARACTERS = 64
MAX_WORD_CHARACTERS = 256
_MIN_HEX_CHARACTERS = 16
_MIN_BLOB_CHARACTERS = 20
_MIN_MEAN_PART_CHARACTERS = 2.5

# pgvector's sparsevec takes at most 1e9 dimensions, and dimension 0 does not exist there.
_TERM_ID_MASK = 0x1FFFFFFF

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
    for word in _words(text):
        for term in _word_terms(word):
            counts[term] = counts.get(term, 0) + 1
    return counts


def document_terms(*, path: str, name: str, text: str) -> TermVector:
    """Return the weights of a chunk's terms.

    They are tf * (k1+1) / (tf + k1 * (1-b + b * length/AVERAGE_LENGTH)). The definition's dotted
    `name`, the file's stem and its directories count as additional occurrences of their words, with
    modest weights.
    """
    frequencies = _text_frequencies(text)
    for term, weight in _field_frequencies(path, name):
        frequencies[term] = frequencies.get(term, 0.0) + weight
    return _weigh(frequencies)


def _weigh(frequencies: Mapping[int, float]) -> TermVector:
    count = len(frequencies)
    ids = np.fromiter(frequencies.keys(), dtype=np.uint32, count=count)
    tf = np.fromiter(frequencies.values(), dtype=np.float64, count=count)
    order = ids.argsort()
    ids, tf = ids[order], tf[order]
    norm = K1 * (1.0 - B + B * float(tf.sum()) / AVERAGE_LENGTH)
    return TermVector(ids=ids, weights=(tf * (K1 + 1.0) / (tf + norm)).astype(np.float32))


def _text_frequencies(text: str) -> dict[int, float]:
    frequencies: dict[int, float] = {}
    for word, count in Counter(_words(text)).items():
        for term in _word_terms(word):
            frequencies[term] = frequencies.get(term, 0.0) + count
    return frequencies


def _field_frequencies(path: str, name: str) -> list[tuple[int, float]]:
    pure = PurePosixPath(path)
    terms = [(term, NAME_WEIGHT) for word in _words(name) for term in _word_terms(word)]
    terms += _path_frequencies(pure.stem, STEM_WEIGHT)
    terms += _path_frequencies(str(pure.parent), DIRECTORY_WEIGHT)
    return terms


@lru_cache(maxsize=4096)
def _path_frequencies(text: str, weight: float) -> tuple[tuple[int, float], ...]:
    return tuple((term, weight) for word in _words(text) for term in _word_terms(word))


def _words(text: str) -> list[str]:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _WORD.findall(text)


@lru_cache(maxsize=65536)
def _word_terms(word: str) -> tuple[int, ...]:
    return tuple(term_id(token) for token in _word_tokens(word))


def _word_tokens(word: str) -> tuple[str, ...]:
    """Return the whole identifier without underscores and, if it has several, its parts."""
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
