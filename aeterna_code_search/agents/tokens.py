"""An estimate of the tokens that a model reads, a little above their count, without a vocabulary.

The scale is OpenAI's encoding o200k_base. Like it, the estimate splits a text into pieces (a word
with the character before it, up to three digits, a run of punctuation or of white space), of which
most are one token. What a piece costs is a sum over its pairs of characters, fitted to the encoding
by `python -m benchmarks agents fit`, which writes `token_costs.json`.
"""

import json
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from functools import cache, lru_cache
from itertools import pairwise
from math import ceil, sqrt
from pathlib import Path
from typing import Any, Final, NamedTuple

COSTS: Final = Path(__file__).with_name("token_costs.json")
_PIECES_KEPT: Final = 32_768  # costs in memory; a piece has at most 100 characters
_ABOVE: Final = 1.02
_DEVIATIONS: Final = 2.0
"""The estimate is 1.02 times the expected count and two standard deviations of it, in which a piece
that is repeated counts with its square: if it is dearer than expected, it is so each time."""

_LATIN: Final = "a-z\u00c0-\u024f\u1e00-\u1eff"
# The pattern of o200k_base without Unicode's classes; runs are cut, so that pieces stay short.
_PIECE: Final = re.compile(
    rf"""
    (?:[^\r\n\w]|_)?(?:[A-Z]{{0,40}}[{_LATIN}]{{1,40}}|[A-Z]{{1,40}})
        (?:'(?:[smtdSMTD]|re|ve|ll|RE|VE|LL)(?![a-zA-Z]))?
    |[0-9]{{1,3}}
    |[ ]?[^\x00-\x7f{_LATIN}]{{1,40}}
    |[ ]?[!-/:-@\[-`{{-~]{{1,40}}[\r\n/]{{0,40}}
    |\s{{0,60}}[\r\n]{{1,40}}
    |\s{{1,80}}(?=\s)|\s
    |.
    """,
    re.VERBOSE | re.DOTALL,
)
_LETTER: Final = re.compile(f"[A-Z{_LATIN}]")
_END: Final = "\n"  # of a piece, in a pair of characters
_UNKNOWN_PAIR: Final = 45  # hundredths of a token
_UNKNOWN_OTHER: Final = 100  # what stands before a word, and characters of other scripts
_PAIR: Final = 2
_BLOCKS: Final = (
    *((0x80, "sign"), (0x250, "greek"), (0x400, "cyrillic"), (0x530, "armenian")),
    *((0x590, "hebrew"), (0x600, "arabic"), (0x780, "indic"), (0xE00, "thai"), (0xE80, "other")),
    *((0x10A0, "georgian"), (0x1100, "other"), (0x2000, "sign"), (0x3000, "sign_of_cjk")),
    *((0x3040, "hiragana"), (0x30A0, "katakana"), (0x3100, "other"), (0x3400, "han")),
    *((0xA000, "other"), (0xAC00, "hangul"), (0xD800, "other"), (0xFF00, "full_width")),
    (0x10000, "astral"),
)
_STARTS: Final = tuple(start for start, _ in _BLOCKS)


class Cost(NamedTuple):
    """Tokens of a piece: as expected, and the variance of that."""

    expected: float
    variance: float


def estimate_tokens(value: Any) -> int:
    """Estimate the tokens of a text, or of any other value as compact JSON."""
    text = value if isinstance(value, str) else compact_json(value)
    expected = variance = 0.0
    for piece, count in pieces(text).items():
        cost = _cost(piece)
        expected += count * cost.expected
        variance += count * count * cost.variance
    return ceil(_ABOVE * expected + _DEVIATIONS * sqrt(variance))


def compact_json(value: Any) -> str:
    """Return JSON as clients hand it on."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def reload_costs() -> None:
    """Read the costs again, which have changed."""
    _table.cache_clear()
    _cost.cache_clear()


def pieces(text: str) -> Mapping[str, int]:
    """Split a text, and count the equal pieces."""
    return Counter(_PIECE.findall(text))


def kind_of(piece: str, words: Set[str], signs: Set[str]) -> str:
    """Return the kind of a piece, whose costs vary alike; "one" is one token.

    `words` and `signs` are common ones of one token.
    """
    if piece.isspace():
        return "space"
    if piece in signs or (piece[0].isdigit() and piece.isascii()):
        return "one"
    bare = _bare(piece)
    if not _LETTER.match(bare):
        return "punctuation" if piece.isascii() else "script"
    if bare.lower() in words and (bare.islower() or bare.istitle()):
        return "common" if piece[0] == " " or piece == bare else "common_after_sign"
    return "word"


def features(piece: str, kind: str) -> Iterator[tuple[str, float]]:
    """Yield what a piece's cost is the sum of: names in `token_costs.json`, each how many times."""
    if kind.startswith("common"):
        yield f"common{_before(piece)}", 1
    elif kind == "script":
        yield "run", 1
        yield from Counter(map(_block, piece.strip(" "))).items()
    elif kind == "punctuation":
        yield from _pairs(piece.rstrip("\r\n"))
    else:
        yield from _word_features(piece)


def cost_of_unknown(name: str) -> int:
    """Return the hundredths of a token of what the fit has not met."""
    return _UNKNOWN_PAIR if len(name) == _PAIR else _UNKNOWN_OTHER


def _word_features(piece: str) -> Iterator[tuple[str, float]]:
    bare = _bare(piece)
    yield f"word{_before(piece)}", 1
    capitals = sum(map(str.isupper, bare))
    if 0 < capitals < len(bare) and not bare.istitle():
        yield "mixed", 1
    yield "capital", capitals
    yield "accented", sum(not letter.isascii() for letter in bare)
    yield from _pairs("".join(map(_plain, bare)))


def _pairs(text: str) -> Iterator[tuple[str, float]]:
    whole = f"{_END}{text}{_END}"
    for pair, count in Counter(map("".join, pairwise(whole))).items():
        # A line of one sign is few tokens.
        yield pair, 1 + (count - 1) / 4 if pair[0] == pair[1] else count


def _before(piece: str) -> str:
    """Return what stands before the word in a piece: nothing, or " after " a sign."""
    if piece[0].isalpha():
        return ""
    return f" after {piece[0]}" if piece[0].isascii() else " after other"


def _bare(piece: str) -> str:
    """Return a piece without the character before the word."""
    return piece if piece[0].isalpha() else piece[1:]


@cache
def _plain(letter: str) -> str:
    return unicodedata.normalize("NFD", letter)[0].lower()


def _block(character: str) -> str:
    return _BLOCKS[bisect_right(_STARTS, ord(character)) - 1][1]


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(COSTS.read_text(encoding="utf-8"))
    return {**table, **{name: frozenset(table[name].split("\t")) for name in ("words", "signs")}}


@lru_cache(_PIECES_KEPT)
def _cost(piece: str) -> Cost:
    table = _table()
    kind = kind_of(piece, table["words"], table["signs"])
    if kind == "one":
        return Cost(1, 0)
    if kind == "space":
        return Cost(max(1, sum(left != right for left, right in pairwise(piece))), 0)
    costs = table["costs"]
    hundredths = sum(
        times * costs.get(name, cost_of_unknown(name)) for name, times in features(piece, kind)
    )
    expected = max(1.0, hundredths / 100)
    least, more = table["variances"][kind]
    return Cost(expected, least + more * (expected - 1))
