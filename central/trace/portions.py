"""The references of all visible repositories, in order, a portion at a time.

In the order of repositories' keys, paths and references' keys. What a portion reads is bounded
whatever the repositories are: many small ones, one of a million files, one file of 20,000
references.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from central.repositories.sight import RepositoryInSight
from central.trace.scope import Sight
from central.trace.sites import CountedFile, Site, files_from, sites_of_files
from indexer.limits import CALLS_FILES, CALLS_LOOKS, CALLS_REFERENCES


class Place(NamedTuple):
    """Behind a file, or behind one reference of it; path "" is the beginning of the repository.

    It is of one generation of the repository, by one name.
    """

    repository: int = 0
    generation: int = 0
    project: str = ""
    path: str = ""
    reference: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """What a portion holds of one repository: with its first reference, with its last one?"""

    repository: RepositoryInSight
    begins: bool
    ends: bool


@dataclass(slots=True)
class Portion:
    """References in order, and the place of those after them; None: there are none."""

    parts: list[Part] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    following: Place | None = None

    def keep(self, count: int) -> None:
        """Leave out what comes after so many of the references."""
        last = self.sites[count - 1]
        self.sites = self.sites[:count]
        ids = [part.repository.id for part in self.parts]
        self.parts = self.parts[: ids.index(last.repository) + 1]
        self.parts[-1] = replace(self.parts[-1], ends=False)
        start = _start(self.parts[-1].repository)
        self.following = start._replace(path=last.path, reference=last.id)


def read_portion(sight: Sight, place: Place) -> Portion:
    """The references from a place on.

    A repository that is of another generation or name than the place is read from its beginning.
    """
    portion = Portion()
    reader = _Reader(sight, portion)
    for repository, start in _ahead(sight, place):
        if not reader.read(repository, start):
            break
    return portion


class _Reader:
    """Fills a portion as long as there is room in it."""

    def __init__(self, sight: Sight, portion: Portion) -> None:
        self._sight = sight
        self._portion = portion
        self._room = CALLS_REFERENCES
        self._looks = CALLS_LOOKS

    def read(self, repository: RepositoryInSight, start: Place) -> bool:
        """Take from `start` on; whether the repository's last reference was reached."""
        place = start
        while self._looks and self._room:
            self._looks -= 1
            files = files_from(
                self._sight.inquiry,
                repository.id,
                place.path,
                inclusive=place.reference > 0,
                limit=CALLS_FILES,
            )
            taken = self._fitting(files)
            if files and not taken:
                break
            place = self._take(taken, place)
            if len(files) < CALLS_FILES and len(taken) == len(files) and not place.reference:
                self._portion.parts.append(Part(repository, not start.path, ends=True))
                return True
        self._portion.following = place
        if place != start:
            self._portion.parts.append(Part(repository, not start.path, ends=False))
        return False

    def _fitting(self, files: Sequence[CountedFile]) -> list[CountedFile]:
        """The first files that there is room for; one larger than a portion is taken in parts."""
        taken: list[CountedFile] = []
        room = self._room
        for file in files:
            is_first = room == CALLS_REFERENCES
            if file.references > room and not is_first:
                break
            taken.append(file)
            room = max(room - file.references, 0)
        return taken

    def _take(self, files: Sequence[CountedFile], place: Place) -> Place:
        """Read the files' references behind a place; the place behind what was read."""
        if not files:
            return place._replace(reference=0)
        after = (place.path, place.reference)
        sites = sites_of_files(self._sight.inquiry, files, after=after, limit=self._room)
        self._portion.sites += sites
        if len(sites) == self._room:
            self._room = 0
            return place._replace(path=sites[-1].path, reference=sites[-1].id)
        self._room -= len(sites)
        return place._replace(path=files[-1].path, reference=0)


def _ahead(sight: Sight, place: Place) -> Iterator[tuple[RepositoryInSight, Place]]:
    """The repositories that are indexed, from the place's on, and where each is to be read from."""
    for repository in sorted(sight.repositories.values(), key=lambda one: one.id):
        if repository.id < place.repository or not repository.generation:
            continue
        start = _start(repository)
        yield repository, place if place[:3] == start[:3] else start


def _start(repository: RepositoryInSight) -> Place:
    return Place(repository.id, repository.generation, repository.name)
