"""The lines of both compared: every difference has the name of a class, or is a bug."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.exact.corpus import Place
from benchmarks.exact.queries import LANGUAGES, Query
from benchmarks.exact.service import Found

File = tuple[str, str]  # project and path


class Reason(StrEnum):
    """Why a line is found by one of the two only."""

    LANGUAGE = "language"  # a filter by language, and the two take the file for different ones
    CUT = "cut"  # the service lists the first matches of a file
    UNREAD = "unread"  # the service's receipt says that it did not read everything
    BUG = "bug"  # none of these


@dataclass(frozen=True, slots=True)
class Difference:
    """A line that only one of the two finds."""

    place: Place
    by_service: bool
    reason: Reason


@dataclass(frozen=True, slots=True)
class Comparison:
    """What both found for a query."""

    query: Query
    same: int
    differences: list[Difference]

    @property
    def reasons(self) -> set[Reason]:
        """The classes of its differences."""
        return {one.reason for one in self.differences}


@dataclass(frozen=True, slots=True)
class Languages:
    """The language of each file by each of the two."""

    service: Mapping[File, str]
    zoekt: Mapping[File, str]

    def differ(self, file: File) -> bool:
        """Whether the two take a file for different languages."""
        return LANGUAGES.get(self.service[file], "") != self.zoekt.get(file, "")


def compare(query: Query, service: Found, zoekt: set[Place], languages: Languages) -> Comparison:
    """Compare what both found."""

    def reason(place: Place, *, by_service: bool) -> Reason:
        if query.names_language and languages.differ(place[:2]):
            return Reason.LANGUAGE
        if not by_service and place[:2] in service.cut:
            return Reason.CUT
        if not by_service and not service.is_complete:
            return Reason.UNREAD
        return Reason.BUG

    def differences() -> Iterator[Difference]:
        for place in sorted(service.lines ^ zoekt):
            by_service = place in service.lines
            yield Difference(place, by_service, reason(place, by_service=by_service))

    return Comparison(query, len(service.lines & zoekt), list(differences()))
