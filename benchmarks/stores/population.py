"""As many chunks as are wanted, made of real ones: neighbours rather than clones of each other.

One organisation has 50 projects of very different sizes; a few others are there beside it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from benchmarks.stores.extraction import PACKAGES, Chunks
from indexer.embedding.builtin import SPEC
from indexer.records.vectors import TermVector, Vector
from indexer.store.base import Collection, Point

ORGANIZATION = "acme"
PROJECTS = 50
OTHERS = 5  # organisations of one project each, together a tenth of the first
RUN = UUID(int=1)

_AT_ONCE = 20_000
_PACKAGES_OF_A_PROJECT = 4
_OWN, _NEIGHBOUR, _NOISE = 0.75, 0.35, 0.25  # parts of a made vector
_KEPT, _TAKEN = 0.8, 0.2  # parts of the own and of the neighbour's terms


@dataclass(frozen=True)
class Population:
    """Made chunks, project after project; `own[i]` and `neighbour[i]` are what i is made of."""

    chunks: Chunks
    ids: NDArray[np.uint8]  # shape (n, 16)
    vectors: NDArray[np.float16]
    own: NDArray[np.int64]
    neighbour: NDArray[np.int64]
    projects: NDArray[np.int64]  # 0 … PROJECTS - 1 are the organisation's, later ones others'

    def __len__(self) -> int:
        return len(self.own)

    @property
    def searched(self) -> int:
        """How many chunks the organisation has: they come first."""
        return int(np.searchsorted(self.projects, PROJECTS))

    def members(self, project: int) -> range:
        """The chunks of a project."""
        start, end = np.searchsorted(self.projects, [project, project + 1])
        return range(int(start), int(end))

    def id(self, index: int) -> UUID:
        """The point id of a chunk."""
        return UUID(bytes=self.ids[index].tobytes())

    def points(self, indices: range) -> list[Point]:
        """Chunks as a store takes them."""
        return [self._point(index) for index in indices]

    def _point(self, index: int) -> Point:
        source = self.own[index]
        stem, _, suffix = str(self.chunks.paths[source]).rpartition(".")
        return Point(
            id=self.id(index),
            run=RUN,
            path=f"{stem}_{index % 97}.{suffix}",
            language=str(self.chunks.languages[source]),
            type=str(self.chunks.types[source]),
            vector=self.vectors[index].astype(np.float32),
            terms=self._terms(index),
        )

    def _terms(self, index: int) -> TermVector:
        """Most of the terms of its chunk, and some of its neighbour's."""
        chosen = np.random.default_rng(index)
        parts = []
        for source, share in ((self.own[index], _KEPT), (self.neighbour[index], _TAKEN)):
            there = slice(self.chunks.starts[source], self.chunks.starts[source + 1])
            kept = chosen.random(there.stop - there.start) < share
            parts.append((self.chunks.term_ids[there][kept], self.chunks.weights[there][kept]))
        ids, first = np.unique(np.concatenate([ids for ids, _ in parts]), return_index=True)
        return TermVector(ids, np.concatenate([weights for _, weights in parts])[first])


def collection(project: int) -> Collection:
    """Where a project's chunks lie."""
    mine = project < PROJECTS
    organization = ORGANIZATION if mine else f"other-{project - PROJECTS}"
    return Collection(organization, f"project-{project}", project + 1, SPEC)


def organization_collections() -> list[Collection]:
    """All projects of the organisation."""
    return [collection(project) for project in range(PROJECTS)]


def populate(chunks: Chunks, count: int) -> Population:
    """`count` chunks of the organisation and a tenth as many of others; always the same."""
    random = np.random.default_rng(256)
    sizes = [*_sizes(random, count), *([max(1, count // 10 // OTHERS)] * OTHERS)]
    projects = np.repeat(np.arange(len(sizes)), sizes)
    own = np.concatenate([_members(random, chunks, size) for size in sizes])
    neighbour = _neighbours(random, chunks, own)
    vectors = np.empty((len(own), chunks.vectors.shape[1]), np.float16)
    for start in range(0, len(own), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        vectors[part] = _made(random, chunks.vectors[own[part]], chunks.vectors[neighbour[part]])
    ids = random.integers(0, 256, (len(own), 16), np.uint8)
    return Population(chunks, ids, vectors, own, neighbour, projects)


def _sizes(random: np.random.Generator, count: int) -> list[int]:
    """Log-normal, as repositories are: the largest some hundred times the smallest."""
    shares = random.lognormal(0, 1.2, PROJECTS)
    sizes = np.maximum(1, (shares / shares.sum() * count).astype(int))
    sizes[sizes.argmax()] += count - sizes.sum()
    return [int(size) for size in sizes]


def _members(random: np.random.Generator, chunks: Chunks, size: int) -> NDArray[np.int64]:
    """Drawn from some packages and in their order: a directory's files lie together."""
    packages = random.choice(len(PACKAGES), _PACKAGES_OF_A_PROJECT, replace=False)
    return np.sort(random.choice(np.flatnonzero(np.isin(chunks.packages, packages)), size))


def _neighbours(
    random: np.random.Generator, chunks: Chunks, own: NDArray[np.int64]
) -> NDArray[np.int64]:
    """For each chunk another one near it: packages and their files lie together."""
    moved = own + random.integers(-60, 61, len(own))
    return np.clip(moved, 0, len(chunks) - 1)


def _made(random: np.random.Generator, own: Vector, neighbour: Vector) -> Vector:
    noise = random.standard_normal(own.shape, np.float32) / np.float32(np.sqrt(own.shape[1]))
    made = _OWN * own + _NEIGHBOUR * neighbour + _NOISE * noise
    unit: Vector = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


def batches(population: Population, size: int) -> Iterator[tuple[Collection, list[Point]]]:
    """All chunks in parts of one project each."""
    for project in range(int(population.projects[-1]) + 1):
        members = population.members(project)
        for start in range(0, len(members), size):
            yield collection(project), population.points(members[start : start + size])
