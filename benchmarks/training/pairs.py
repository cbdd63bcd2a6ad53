"""What is learnt: which text asks for which chunk; and which files are kept apart."""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import StrEnum
from hashlib import sha256
from typing import NamedTuple

from benchmarks.training.corpus import Reading, chunk_inputs
from central.search.ranking.rules import path_traits

MAX_SENTENCES = 12_000  # of a repository, as the packaged model's: a big one does not rule
MAX_NAMES = 3_500
MIN_NAME_WORDS = 2
_ASIDE = frozenset({"tests", "examples", "docs", "config", "generated", "vendored"})
_DEVELOPMENT_PERCENT, _TEST_PERCENT = 10, 20
_NAME_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NOT_A_WORD = re.compile(r"[\W_]+")


class Part(StrEnum):
    """What a file is for: to learn from, to stop by, or to judge with."""

    TRAINING = "training"
    DEVELOPMENT = "development"
    TEST = "test"


class Question(NamedTuple):
    """A sentence that is asked, and the chunk that is expected."""

    text: str
    path: str
    chunk: int
    lines: tuple[int, int]


class Pair(NamedTuple):
    """A text that asks for a document; `chunk` tells which documents are the same."""

    asked: str
    document: str
    chunk: int
    is_sentence: bool


def part_of(repository: str, path: str, seed: int) -> Part:
    """A file's part: a digest's, so that it stays when others come and go."""
    digest = sha256(f"{seed}\0{repository}\0{path}".encode()).digest()
    number = int.from_bytes(digest[:4], "big") % 100
    if number < _TEST_PERCENT:
        return Part.TEST
    if number < _TEST_PERCENT + _DEVELOPMENT_PERCENT:
        return Part.DEVELOPMENT
    return Part.TRAINING


def questions(reading: Reading) -> list[Question]:
    """Sentences about definitions of the product itself that stand for one definition alone."""
    asked: dict[str, list[Question]] = defaultdict(list)
    for comment, chunk in reading.comments:
        if not path_traits(comment.path).kinds & _ASIDE:
            lines = (comment.definition.start, comment.definition.end)
            question = Question(comment.sentence, comment.path, chunk, lines)
            asked[normalized(comment.sentence)].append(question)
    return [found[0] for found in asked.values() if len(found) == 1]


def pairs(
    reading: Reading, part: Part, *, seed: int, avoided: frozenset[str] = frozenset()
) -> list[Pair]:
    """Sentence → chunk and name → chunk without the name, of the files of one part.

    No sentence in `avoided` (`normalized`) is used: copies of a file are asked about elsewhere.
    """
    inputs = list(chunk_inputs(reading))
    rows = reading.corpus.rows
    wanted = {row.path for row in rows if part_of(reading.name, row.path, seed) is part}
    sentences = [
        Pair(comment.sentence, inputs[chunk], chunk, is_sentence=True)
        for comment, chunk in reading.comments
        if comment.path in wanted and normalized(comment.sentence) not in avoided
    ]
    names = [
        Pair(row.name, _without_name(inputs[chunk], row.name), chunk, is_sentence=False)
        for chunk, row in enumerate(rows)
        if row.path in wanted and len(_NAME_WORDS.findall(row.name)) >= MIN_NAME_WORDS
    ]
    chance = random.Random(f"{seed} {reading.name} {part}")  # noqa: S311  (nothing secret)
    return [*_some(sentences, MAX_SENTENCES, chance), *_some(names, MAX_NAMES, chance)]


def normalized(text: str) -> str:
    """The words alone."""
    return _NOT_A_WORD.sub(" ", text).strip().lower()


def all_sentences(found: Iterable[Question]) -> Iterator[str]:
    """What `pairs` avoids, of questions."""
    return (normalized(question.text) for question in found)


def _some(found: list[Pair], limit: int, chance: random.Random) -> list[Pair]:
    return chance.sample(found, limit) if len(found) > limit else found


def _without_name(text: str, name: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", text)
