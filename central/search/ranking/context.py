"""What the ranking rules look at: candidates, and a query among them."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

from central.search.query import ParsedQuery, name_parts, stem

_PREFIX_CHARACTERS = 4  # "auth" is "authentication"; shorter prefixes mean nothing


class Candidate(NamedTuple):
    """A live chunk as the rules see it.

    `defines`: symbols known to start in it; `minor`: those that are not exported or overloads.
    `is_reexport`: its file imports and exports only.
    """

    id: int
    project: str
    path: str
    start_line: int
    end_line: int
    type: str
    name: str
    container: str
    is_reexport: bool = False
    defines: tuple[str, ...] = ()
    minor: tuple[str, ...] = ()

    @property
    def place(self) -> tuple[int | str | tuple[str, ...], ...]:
        """(project, path, start_line, end_line), by which ties are broken."""
        return self[1:5]

    @property
    def file(self) -> tuple[str, str]:
        """(project, path)."""
        return self.project, self.path


class QueryContext:
    """A query, with its cached overlaps with names and paths.

    `importance` is the weight of each of the query's words, in any unit. `exact` are the names
    that candidates define, `outermost` those outside of a class, `located` those whose first line
    is known to be in a candidate.
    """

    def __init__(
        self, query: ParsedQuery, importance: Sequence[float], candidates: Iterable[Candidate] = ()
    ) -> None:
        self.query = query
        named = (
            [(candidate, names_of(candidate.name)) for candidate in candidates]
            if query.symbols
            else []
        )
        self.located = {name for candidate, _ in named for name in candidate.defines}
        self.exact = self.located.union(*(names for _, names in named))
        self.outermost = {
            name for candidate, names in named if not candidate.container for name in names
        }
        total = sum(importance) or 1.0
        self._importance = [value / total for value in importance]
        self._exact = {word: index for index, word in enumerate(query.words)}
        self._prefix_query = {
            word[:_PREFIX_CHARACTERS]: index
            for index, word in enumerate(query.words)
            if len(word) >= _PREFIX_CHARACTERS
        }
        self._shares: dict[tuple[str, ...], float] = {}
        self._overlaps: dict[str, float] = {}

    def overlap(self, parts: tuple[str, ...]) -> float:
        """Return the share of the query's words, by importance, that are in `parts`.

        It is reduced by the parts that are not in the query.
        """
        known = self._shares.get(parts)
        if known is None:
            known = self._shares[parts] = self._compare(parts)
        return known

    def overlap_of(self, name: str) -> float:
        """Return the overlap of a name; of several names in one chunk, the best."""
        known = self._overlaps.get(name)
        if known is None:
            known = max(self.overlap(stems_of(part)) for part in names_of(name))
            self._overlaps[name] = known
        return known

    def _compare(self, parts: tuple[str, ...]) -> float:
        hits = [index for part in parts if (index := self._word(part)) >= 0]
        if not hits:
            return 0.0
        share = sum(self._importance[index] for index in set(hits))
        return share * sqrt(len(hits) / len(parts))

    def _word(self, part: str) -> int:
        """Return the index of the word that `part` equals or shares a prefix with, or -1."""
        index = self._exact.get(part, -1)
        if index >= 0 or len(part) < _PREFIX_CHARACTERS:
            return index
        index = self._prefix_query.get(part[:_PREFIX_CHARACTERS], -1)
        if index < 0:
            return -1
        word = self.query.words[index]
        return index if part.startswith(word) or word.startswith(part) else -1


def names_of(name: str) -> tuple[str, ...]:
    """Return the definitions that a chunk is named after: several, if they are small."""
    return tuple(name.split(", "))


@lru_cache(maxsize=65536)
def stems_of(name: str) -> tuple[str, ...]:
    return tuple(stem(part) for part in name_parts(name))
