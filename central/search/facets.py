"""How many files of a search are in each repository, language and directory. Pure.

The files are those that the search has read: its candidates, or all that match.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from posixpath import commonpath
from typing import Annotated, Final, NamedTuple

from indexer.limits import FACET_VALUES


class FacetKind(StrEnum):
    """By what files are counted."""

    REPOSITORY = "repository"
    LANGUAGE = "language"
    DIRECTORY = "directory"


class FoundFile(NamedTuple):
    """A file that a search has found."""

    project: str
    path: str
    language: str


@dataclass(frozen=True, slots=True)
class FacetCount:
    """A value and how many files have it."""

    value: Annotated[str, "A repository, a language, or a directory with a slash at its end"]
    files: int


@dataclass(frozen=True, slots=True)
class Facets:
    """Files by repository, language and directory, most files first.

    Directories are those below the deepest one that holds all files.
    """

    files: int
    at_least: Annotated[bool, "Whether the search may not have read all files that match"]
    repository: list[FacetCount]
    language: list[FacetCount]
    directory: list[FacetCount]


def facets_of(found: Iterable[FoundFile], *, at_least: bool) -> Facets:
    """Count each file once. At most FACET_VALUES of a kind are listed."""
    files = list(dict.fromkeys(found))
    counted = {kind.value: _counts(values(files)) for kind, values in _VALUES.items()}
    return Facets(len(files), at_least, **counted)


def _counts(values: Iterable[str]) -> list[FacetCount]:
    counts = Counter(filter(None, values))
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [FacetCount(value, count) for value, count in ordered[:FACET_VALUES]]


def _directories(files: Sequence[FoundFile]) -> Iterator[str]:
    """Yield of each file the directory below the deepest one that holds all of them."""
    shared = commonpath([one.path.rpartition("/")[0] for one in files]) if files else ""
    above = f"{shared}/" if shared else ""
    for one in files:
        name, slash, _ = one.path[len(above) :].partition("/")
        if slash:
            yield f"{above}{name}/"


# A kind more is a function here, a member of FacetKind and of Facets.
_VALUES: Final[Mapping[FacetKind, Callable[[Sequence[FoundFile]], Iterable[str]]]] = {
    FacetKind.REPOSITORY: lambda files: (one.project for one in files),
    FacetKind.LANGUAGE: lambda files: (one.language for one in files),
    FacetKind.DIRECTORY: _directories,
}
