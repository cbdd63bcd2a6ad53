"""How many files of a search are in each repository, language and directory, and whose. Pure.

The files are those that the search has read: its candidates, or all that match.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from posixpath import commonprefix
from typing import Final, NamedTuple, TypeAlias

from aeterna_code_search.contract.projects import OwnerCount
from aeterna_code_search.contract.search import FacetCount, Facets
from central.query.filters import NO_OWNER

FACET_VALUES: Final = 12  # repositories, languages or directories with counts of a search


class FacetKind(StrEnum):
    """By what files are counted."""

    REPOSITORY = "repository"
    LANGUAGE = "language"
    DIRECTORY = "directory"
    OWNER = "owner"


FoundFile: TypeAlias = tuple[str, str, str]  # repository, path, language


class _Place(NamedTuple):
    """What is counted together: an exact search may have found 50,000 files."""

    repository: str
    directory: str
    language: str


_Places: TypeAlias = Mapping[_Place, int]


def facets_of(
    found: Iterable[FoundFile], owners: Iterable[OwnerCount], *, at_least: bool
) -> Facets:
    """Count files, each of which is given once. At most FACET_VALUES of a kind are listed.

    `owners` are the counts of the same files by owner.
    """
    places = Counter(
        _Place(repository, path.rpartition("/")[0], language)
        for repository, path, language in found
    )
    counted = {kind.value: _most(count(places)) for kind, count in _COUNTS.items()}
    by_owner = {row.owner or NO_OWNER: row.count for row in owners if row.known}
    owner = [] if by_owner.keys() == {NO_OWNER} else _most(by_owner)
    return Facets(places.total(), at_least, **counted, owner=owner)


def _most(counts: Mapping[str, int]) -> list[FacetCount]:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [FacetCount(value, count) for value, count in ordered[:FACET_VALUES] if value]


def _by(places: _Places, value: Callable[[_Place], str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for place, count in places.items():
        counts[value(place)] += count
    del counts[""]
    return counts


def _directories(places: _Places) -> Counter[str]:
    """Count by the directory below the deepest one that holds all files."""
    directories = {f"{place.directory}/" for place in places}
    start = commonprefix(list(directories)).rfind("/") + 1
    if start == 1:
        start = 0  # all are files of the root

    def below(place: _Place) -> str:
        name = place.directory[start:].partition("/")[0]
        return f"{place.directory[:start]}{name}/" if name else ""

    return _by(places, below)


# What is counted by where a file is; owners are counted by its repository's rules.
_COUNTS: Final[Mapping[FacetKind, Callable[[_Places], Mapping[str, int]]]] = {
    FacetKind.REPOSITORY: lambda places: _by(places, lambda place: place.repository),
    FacetKind.LANGUAGE: lambda places: _by(places, lambda place: place.language),
    FacetKind.DIRECTORY: _directories,
}
