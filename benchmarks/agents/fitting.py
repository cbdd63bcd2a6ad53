"""Fitting of the costs of `agents.tokens` to o200k_base by texts that it is given."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from aeterna_code_search.agents.tokens import cost_of_unknown, features, kind_of, pieces

COMMON_WORDS: Final = 800
COMMON_SIGNS: Final = 120
_RIDGE: Final = 0.02  # added to the diagonal's root, against the kinds' total weight
_WORD: Final = re.compile(r" ?([A-Za-z][a-z]{2,13})")
_SIGNS: Final = re.compile(r" ?[!-/:-@\[-`{-~]{2,}")

CountTokens = Callable[[Sequence[str]], Sequence[int]]


@dataclass(frozen=True, slots=True)
class Sample:
    """A text of a kind, such as python or base64, with the weight of its kind."""

    kind: str
    text: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Unique pieces, their tokens, and their share of the samples: once and by its square."""

    tokens: dict[str, int]
    share: dict[str, float]
    square: dict[str, float]


def fit(samples: Sequence[Sample], count_tokens: CountTokens) -> dict[str, Any]:
    """Return the content of `token_costs.json`."""
    counted = _count(samples, count_tokens)
    words, signs = _common_words(counted), _common_signs(counted)
    by_kind = defaultdict(list)
    for piece in counted.tokens:
        by_kind[kind_of(piece, words, signs)].append(piece)
    for kind in ("one", "space"):
        by_kind.pop(kind, None)
    costs: dict[str, float] = {}
    for kind, found in by_kind.items():
        costs |= _solve(found, kind, counted)
    rounded = {name: round(100 * cost) for name, cost in sorted(costs.items())}
    variances = {kind: _variance(found, kind, counted, rounded) for kind, found in by_kind.items()}
    return {
        "words": "\t".join(sorted(words)),
        "signs": "\t".join(sorted(signs)),
        "variances": variances,
        "costs": rounded,
    }


def _count(samples: Sequence[Sample], count_tokens: CountTokens) -> _Pieces:
    """Weigh each kind alike, and within a kind each text."""
    texts = Counter(sample.kind for sample in samples)
    share: dict[str, float] = defaultdict(float)
    square: dict[str, float] = defaultdict(float)
    for sample in samples:
        found = pieces(sample.text)
        total = sum(found.values())
        weight = sample.weight / texts[sample.kind]
        for piece, count in found.items():
            share[piece] += weight * count / total
            square[piece] += weight * (count / total) ** 2
    names = list(share)
    return _Pieces(dict(zip(names, count_tokens(names), strict=True)), share, square)


def _common_words(counted: _Pieces) -> frozenset[str]:
    """Choose words of one token that texts repeat most, so that they add to no deviation."""
    gain: dict[str, float] = defaultdict(float)
    for piece, tokens in counted.tokens.items():
        if match := _WORD.fullmatch(piece):
            is_one = tokens == 1
            gain[match[1].lower()] += counted.square[piece] * (1 if is_one else -25)
    best = sorted(gain, key=lambda word: (-gain[word], word))[:COMMON_WORDS]
    return frozenset(word for word in best if gain[word] > 0)


def _common_signs(counted: _Pieces) -> frozenset[str]:
    """Choose runs of signs of one token, likewise."""
    signs = [
        piece for piece, tokens in counted.tokens.items() if tokens == 1 and _SIGNS.fullmatch(piece)
    ]
    best = sorted(signs, key=lambda sign: (-counted.square[sign], sign))
    return frozenset(best[:COMMON_SIGNS])


def _solve(found: Sequence[str], kind: str, counted: _Pieces) -> dict[str, float]:
    """Solve the weighted least squares with a ridge."""
    rows = [dict(features(piece, kind)) for piece in found]
    names = sorted({name for row in rows for name in row})
    column = {name: index for index, name in enumerate(names)}
    squares = np.zeros((len(names), len(names)))
    right = np.zeros(len(names))
    for piece, row in zip(found, rows, strict=True):
        weight = counted.share[piece]
        indices = np.array([column[name] for name in row])
        values = np.array(list(row.values()))
        squares[np.ix_(indices, indices)] += weight * np.outer(values, values)
        right[indices] += weight * counted.tokens[piece] * values
    squares += np.eye(len(names)) * _RIDGE**2
    # What is rare stays near what is unknown.
    right += _RIDGE**2 * np.array([cost_of_unknown(name) / 100 for name in names])
    return dict(zip(names, np.linalg.solve(squares, right).tolist(), strict=True))


def _variance(
    found: Iterable[str], kind: str, counted: _Pieces, costs: dict[str, int]
) -> list[float]:
    """Fit the variance of the cost as a line over what the cost is above one."""
    lines, squares = [], []
    for piece in found:
        total = sum(times * costs[name] for name, times in features(piece, kind))
        expected = max(1.0, total / 100)
        root = counted.share[piece] ** 0.5
        lines.append((root, root * (expected - 1)))
        squares.append(root * (counted.tokens[piece] - expected) ** 2)
    line, *_ = np.linalg.lstsq(np.array(lines), np.array(squares), rcond=None)
    return [round(max(0.0, float(value)), 3) for value in line]


def write(table: dict[str, Any]) -> str:
    """Format a table, some costs a line."""
    costs = [f"{json.dumps(name)}:{cost}" for name, cost in table["costs"].items()]
    lines = (",".join(costs[start : start + 10]) for start in range(0, len(costs), 10))
    variances = json.dumps(table["variances"])
    return (
        f'{{"words":{json.dumps(table["words"])},\n"signs":{json.dumps(table["signs"])},\n'
        f'"variances":{variances},\n'
        f'"costs":{{\n{f",{chr(10)}".join(lines)}}}}}\n'
    )
