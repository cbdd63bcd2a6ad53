"""The tree of trigrams that a text must have to match, and what satisfies it.

Leaving out a part of an All, or taking Everything for an Any, only makes more candidates.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import and_, or_
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from central.corpus.trigrams.hashes import window_hashes

Ordinals: TypeAlias = NDArray[np.uint16]  # of files in a segment, ascending

_LITERAL_TRIGRAMS: Final = 16  # of a long literal: more find hardly fewer files
_TREE_TRIGRAMS: Final = 128
_THINNED: Final = (_LITERAL_TRIGRAMS, 4, 2, 1)  # parts of an All, if the tree is too large


@dataclass(frozen=True, slots=True)
class Trigram:
    """A trigram by its hash."""

    hash: int


@dataclass(frozen=True, slots=True)
class All:
    """All parts are required."""

    parts: frozenset["Tree"]


@dataclass(frozen=True, slots=True)
class Any:
    """One of the parts is required."""

    parts: frozenset["Tree"]


@dataclass(frozen=True, slots=True)
class Everything:
    """Nothing is required: every text may match."""


Tree: TypeAlias = Trigram | All | Any | Everything
EVERYTHING: Final = Everything()


def all_of(parts: Iterable[Tree]) -> Tree:
    """Require all parts."""
    flat = _flat(parts, All) - {EVERYTHING}
    if len(flat) < 2:
        return next(iter(flat), EVERYTHING)
    return All(frozenset(flat))


def any_of(parts: Iterable[Tree]) -> Tree:
    """Require one of the parts, of which there is at least one."""
    flat = _flat(parts, Any)
    if EVERYTHING in flat:
        return EVERYTHING
    flat -= {part for part in flat if isinstance(part, All) and part.parts & flat}
    return next(iter(flat)) if len(flat) == 1 else Any(frozenset(flat))


def _flat(parts: Iterable[Tree], kind: type[All] | type[Any]) -> set[Tree]:
    flat: set[Tree] = set()
    for part in parts:
        if isinstance(part, All | Any) and isinstance(part, kind):
            flat |= part.parts
        else:
            flat.add(part)
    return flat


@lru_cache(maxsize=1_024)
def literal_trigrams(text: str) -> Tree:
    """Require a text, in any case; of a long one a trigram of each stretch."""
    stretches = np.array_split(window_hashes(text), _LITERAL_TRIGRAMS)
    return all_of(Trigram(int(stretch[0])) for stretch in stretches if len(stretch))


def bounded(tree: Tree) -> Tree:
    """Reduce a tree to as many trigrams as a search may look up.

    What only some of its alternatives require stays: it tells more than what all of them do.
    """
    uses = Counter(tree_hashes(tree))
    for most in _THINNED:
        if sum(1 for _ in tree_hashes(tree)) <= _TREE_TRIGRAMS:
            return tree
        tree = _thinned(tree, most, uses)
    return tree if sum(1 for _ in tree_hashes(tree)) <= _TREE_TRIGRAMS else EVERYTHING


def _thinned(tree: Tree, most: int, uses: Mapping[int, int]) -> Tree:
    if not isinstance(tree, All | Any):
        return tree
    parts = [_thinned(part, most, uses) for part in tree.parts]
    if isinstance(tree, Any):
        return any_of(parts)
    trigrams = [part for part in parts if isinstance(part, Trigram)]
    trigrams.sort(key=lambda trigram: (uses[trigram.hash], trigram.hash))
    others = [part for part in parts if not isinstance(part, Trigram)]
    return all_of([*trigrams, *others][:most])


def restricted(tree: Tree, hashes: Container[int]) -> Tree:
    """Return what a tree requires of some of its trigrams."""
    if isinstance(tree, Trigram):
        return tree if tree.hash in hashes else EVERYTHING
    if isinstance(tree, Everything):
        return tree
    parts = [restricted(part, hashes) for part in tree.parts]
    return all_of(parts) if isinstance(tree, All) else any_of(parts)


def tree_hashes(tree: Tree) -> Iterator[int]:
    """Yield the hash of each trigram in a tree."""
    if isinstance(tree, Trigram):
        yield tree.hash
    elif isinstance(tree, All | Any):
        for part in tree.parts:
            yield from tree_hashes(part)


def matching_bits(tree: Tree, bits: Mapping[int, int]) -> int:
    """Return the files that satisfy a tree as the bits of a number; `bits` are those of trigrams.

    A trigram without bits is not required. -1, with every bit, is of a tree that is Everything.
    """
    if isinstance(tree, Trigram):
        return bits.get(tree.hash, -1)
    if isinstance(tree, Everything):
        return -1
    parts = (matching_bits(part, bits) for part in tree.parts)
    return reduce(and_, parts) if isinstance(tree, All) else reduce(or_, parts)


def matching_ordinals(tree: Tree, lookup: Callable[[int], Ordinals]) -> Ordinals:
    """Return the files that satisfy a tree; `lookup` returns those that have a trigram.

    Raises ValueError for a tree that is Everything.
    """
    if isinstance(tree, Trigram):
        return lookup(tree.hash)
    if isinstance(tree, Everything):
        raise ValueError("Every file matches: the tree requires no trigram.")
    found: list[Ordinals] = []
    for part in tree.parts:
        found.append(matching_ordinals(part, lookup))
        if isinstance(tree, All) and not len(found[-1]):
            return found[-1]
    if isinstance(tree, Any):
        return reduce(np.union1d, found)
    found.sort(key=len)
    common = found[0]
    for other in found[1:]:
        if not len(common):
            break
        common = np.intersect1d(common, other, assume_unique=True)
    return common
