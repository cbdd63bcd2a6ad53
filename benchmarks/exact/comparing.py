"""The lines of both compared: every difference has the name of a class, or is a bug."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from benchmarks.exact.corpus import IndexedFile, Place
from benchmarks.exact.queries import LANGUAGES, Query
from benchmarks.exact.service import Found

File = tuple[str, str]  # project and path


class Reason(StrEnum):
    """Why a line is found by one of the two only."""

    LANGUAGE = "language"  # a filter by language, and the two take the file for different ones
    CASE = "case"  # case:auto; zoekt takes a class such as \w for an upper-case letter
    END = "end"  # zoekt takes the CR of a line's end for text that matches
    CUT = "cut"  # the service lists the first matches of a file
    UNREAD = "unread"  # the service's receipt says that it did not read everything
    BUG = "bug"  # none of these


class Zoekt(Protocol):
    """What a comparison asks of zoekt."""

    def lines(self, query: str) -> set[Place]:
        """Return every line that matches."""


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
class Files:
    """The files by project and path, and their languages by zoekt."""

    files: Mapping[File, IndexedFile]
    zoekt: Mapping[File, str]

    def differ(self, file: File) -> bool:
        """Whether the two take a file for different languages."""
        return LANGUAGES.get(self.files[file].language, "") != self.zoekt.get(file, "")

    def ends_with_cr(self, place: Place) -> bool:
        """Whether a line ends with CR and LF."""
        project, path, line = place
        return self.files[project, path].content.split("\n")[line - 1].endswith("\r")


def compare(query: Query, service: Found, zoekt: Zoekt, files: Files) -> Comparison:
    """Compare what the service found with what zoekt finds."""
    theirs = zoekt.lines(query.for_zoekt())
    in_any_case: set[Place] = set()
    if service.lines - theirs and query.case == "auto":
        in_any_case = zoekt.lines(replace(query, case="no").for_zoekt())

    def reason(place: Place, *, by_service: bool) -> Reason:
        if query.names_language and files.differ(place[:2]):
            return Reason.LANGUAGE
        if by_service:
            return Reason.CASE if query.has_class and place in in_any_case else Reason.BUG
        if place[:2] in service.cut:
            return Reason.CUT
        if not service.is_complete:
            return Reason.UNREAD
        return Reason.END if query.is_regex and files.ends_with_cr(place) else Reason.BUG

    differences = [
        Difference(place, by_service, reason(place, by_service=by_service))
        for place in sorted(service.lines ^ theirs)
        for by_service in (place in service.lines,)
    ]
    return Comparison(query, len(service.lines & theirs), differences)
