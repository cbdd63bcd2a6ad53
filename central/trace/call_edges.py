"""All call edges of an organisation, a bounded portion at a time."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from central.db import one_moment
from central.http.cursors import decode_cursor, encode_cursor
from central.repositories.visibility import RepositoryInSight
from central.tenancy.credentials import Credential
from central.trace.answers import Call, CallingProject, Calls, missing_projects
from central.trace.callees import find_used
from central.trace.callers import Edge
from central.trace.request_scope import Sight, sight_of
from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.engine import limits_met
from central.trace.resolve.questions import Key
from central.trace.resolve.references import CountedFile, Site, files_from, sites_of_files
from central.trace.resolve.resolve import Confidence
from central.trace.service import trace_span
from indexer.limits import CALLS_FILES, CALLS_LISTED, CALLS_LOOKS, CALLS_REFERENCES


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


TOP_LEVEL: Final = "<module>"
_SALT: Final = "central.trace.calls"


def calls(*, credential: Credential, cursor: str = "") -> Calls:
    """The call edges of the next references, as callees have them with medium confidence.

    Raises ForbiddenError for a token of a job and for a credential that sees a part of the
    organisation, InvalidError for another organisation's cursor.
    """
    credential.require_whole_organization()
    asked = credential.organization.slug
    position = decode_cursor(cursor, salt=_SALT, asked=asked)
    with trace_span(credential, "calls", "") as told, one_moment():
        sight = sight_of(credential)
        portion = read_portion(sight, Place(*position) if position else Place())
        found = _calls(sight, portion)
        told.set_attributes(resultCount=len(found))
    following = portion.following
    return Calls(
        calls=found,
        projects=[_calling(part) for part in portion.parts],
        references=len(portion.sites),
        next_cursor=encode_cursor(salt=_SALT, asked=asked, position=following)
        if following
        else None,
        missing=[] if following else missing_projects(list(sight.repositories.values()), []),
        cut=limits_met(sight.inquiry),
    )


def _calls(sight: Sight, portion: Portion) -> list[Call]:
    """What the portion's references lead to; where that is too much, the portion is cut."""
    edges = find_used(sight.inquiry, portion.sites, least=Confidence.MEDIUM).edges
    definitions = definitions_at(sight.inquiry, {edge.target for edge in edges})
    by_reference = _by_reference(edges, definitions)
    found: list[Call] = []
    for number, site in enumerate(portion.sites):
        further = by_reference.get(site.id, ())
        if found and len(found) + len(further) > CALLS_LISTED:
            portion.keep(number)
            break
        found += [_call(sight, edge, definitions[edge.target]) for edge in further]
    return found


def _by_reference(
    edges: Iterable[Edge], definitions: Mapping[Key, Definition]
) -> Mapping[int, Sequence[Edge]]:
    found: dict[int, list[Edge]] = defaultdict(list)
    for edge in edges:
        if edge.target in definitions:
            found[edge.site.id].append(edge)
    return found


def _call(sight: Sight, edge: Edge, target: Definition) -> Call:
    site = edge.site
    repository = sight.repositories[site.repository]
    return Call(
        caller=site.caller or TOP_LEVEL,
        caller_project=repository.name,
        path=site.path,
        line=site.line,
        callee=target.qualified_name,
        callee_project=sight.repositories[target.repository].name,
        callee_path=target.path,
        kind=site.kind,
        rule=edge.rule,
        confidence=edge.confidence.name.lower(),
        commit=repository.commit,
    )


def _calling(part: Part) -> CallingProject:
    repository = part.repository
    return CallingProject(
        project=repository.name,
        commit=repository.commit,
        generation=repository.generation,
        begins=part.begins,
        ends=part.ends,
    )
