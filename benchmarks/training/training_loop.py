"""From pairs to a table: epochs over shuffled blocks, stopped when development files say so."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.training.model_folder import Folder, tokenize
from benchmarks.training.optimizer import Block, Descent, Settings
from benchmarks.training.pairs import Pair
from benchmarks.training.tokens import Ids, Texts, encode
from indexer.records.vectors import Matrix

BLOCK = 512
MIN_BLOCK = 16
PATIENCE = 3  # epochs without a better development figure
_DEPTH = 10


@dataclass(frozen=True, slots=True)
class Lesson:
    """One repository's pairs as tokens, those to learn from before those to stop by."""

    asked: Texts
    documents: Texts
    keys: Ids
    training: int
    tested: Ids


@dataclass(frozen=True, slots=True)
class Epoch:
    """`loss` is a mean over blocks; `development` the mean MRR@10 of development sentences."""

    number: int
    loss: float
    development: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Learnt:
    """The best table, and every epoch; the first, of number 0, is before any step."""

    table: Matrix
    epochs: tuple[Epoch, ...]

    @property
    def best(self) -> Epoch:
        """The epoch that the table is of."""
        return max(self.epochs, key=lambda epoch: epoch.development)


def lesson(folder: Folder, training: Sequence[Pair], development: Sequence[Pair]) -> Lesson:
    """Tokenize a repository's pairs. Development names are not asked: people ask sentences."""
    both = [*training, *(pair for pair in development if pair.is_sentence)]
    return Lesson(
        tokenize(folder, [pair.asked for pair in both]),
        tokenize(folder, [pair.document for pair in both]),
        np.array([pair.chunk for pair in both], dtype=np.int64),
        len(training),
        np.arange(len(training), len(both)),
    )


def learn(
    table: Matrix, lessons: Sequence[Lesson], settings: Settings, *, epochs: int, seed: int
) -> Learnt:
    """At most `epochs` times through all pairs; says each epoch and how long is left.

    The same lessons, settings and seed give the same table on the same machine and threads.
    """
    chance = np.random.default_rng(seed)
    per_epoch = sum(1 for _ in _blocks(lessons, np.random.default_rng(seed)))
    descent = Descent(table, settings, steps=max(1, per_epoch * epochs))
    done = [Epoch(0, float("nan"), development_figure(table, lessons), 0.0)]
    best = table
    print(f"epoch 0: development MRR@10 {done[0].development:.4f}, {per_epoch} steps an epoch")
    for number in range(1, epochs + 1):
        begin = time.monotonic()
        losses = [descent.step(block) for block in _blocks(lessons, chance)]
        figure = development_figure(descent.table, lessons)
        seconds = time.monotonic() - begin
        if figure > max(epoch.development for epoch in done):
            best = descent.table.copy()
        done.append(Epoch(number, float(np.mean(losses or [0.0])), figure, seconds))
        print(
            f"epoch {number}: loss {done[-1].loss:.4f}, development MRR@10 {figure:.4f}, "
            f"{seconds:.0f} s, at most {seconds * (epochs - number):.0f} s left",
            flush=True,
        )
        if number - max(done, key=lambda epoch: epoch.development).number >= PATIENCE:
            break
    return Learnt(best, tuple(done))


def development_figure(table: Matrix, lessons: Sequence[Lesson]) -> float:
    """MRR@10 of development sentences among all documents of their own repository's pairs."""
    found: list[float] = []
    for one in lessons:
        if not len(one.tested):
            continue
        documents = encode(table, one.documents)
        asked = encode(table, _part(one.asked, one.training))
        scores = asked @ documents.T
        own = scores[np.arange(len(one.tested)), one.tested]
        other = one.keys[None, :] != one.keys[one.tested][:, None]
        ranks = 1 + ((scores >= own[:, None]) & other).sum(axis=1)
        found += [1.0 / rank if rank <= _DEPTH else 0.0 for rank in ranks.tolist()]
    return float(np.mean(found)) if found else 0.0


def _part(texts: Texts, start: int) -> Texts:
    first = texts.offsets[start]
    return replace(texts, tokens=texts.tokens[first:], offsets=texts.offsets[start:] - first)


def _blocks(lessons: Sequence[Lesson], chance: np.random.Generator) -> Iterator[Block]:
    """Every training pair once, in blocks of one repository, those in a random order."""
    cut = [
        (one, part)
        for one in lessons
        for part in _cut(chance.permutation(one.training).astype(np.int64))
    ]
    for place in chance.permutation(len(cut)).tolist():
        one, chosen = cut[place]
        yield Block(one.asked, one.documents, chosen, one.keys[chosen])


def _cut(order: Ids) -> list[Ids]:
    """Parts of even size, at most BLOCK; none that is too small to be wrong answers."""
    if len(order) < MIN_BLOCK:
        return []
    return np.array_split(order, -(-len(order) // BLOCK))
