"""All call edges of an organisation, in bounded portions."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from aeterna_code_search.contract.trace import Call, CallingProject, Calls, Confidence
from central.http.cursors import decode_cursor, encode_cursor
from central.repositories.visibility import RepositorySnapshot, listed_missing
from central.tenancy.credentials import Credential
from central.trace.callees import find_callees
from central.trace.edges import Edge
from central.trace.receipts import missing_projects
from central.trace.request_scope import TraceScope, traced
from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.engine import limits_met
from central.trace.resolve.references import CountedFile, ReferenceSite, files_from, sites_of_files

CALLS_REFERENCES: Final = 5_000  # that a page of call edges is made of
CALLS_LISTED: Final = 50_000  # of a page: a call may reach every override of a method
CALLS_LOOKS: Final = 200  # for a page, each at up to CALLS_FILES of one repository
CALLS_FILES: Final = 500


class Position(NamedTuple):
    """The position after a file or after one of its references; path "" is before all files.

    It is valid for one generation and one name of the repository.
    """

    repository: int = 0
    generation: int = 0
    project: str = ""
    path: str = ""
    reference: int = 0


@dataclass(slots=True)
class Portion:
    """References in order, and the position after them; None after the last.

    `parts` are their repositories, by id.
    """

    scope: TraceScope
    room: int  # for so many references
    looks: int
    parts: dict[int, CallingProject] = field(default_factory=dict)
    sites: list[ReferenceSite] = field(default_factory=list)
    next_position: Position | None = None

    def truncate(self, count: int) -> None:
        """Leave only the first references."""
        last = self.sites[count - 1]
        self.sites = self.sites[:count]
        ids = list(self.parts)
        for further in ids[ids.index(last.repository) + 1 :]:
            del self.parts[further]
        self.parts[last.repository] = replace(self.parts[last.repository], ends=False)
        start = _start(self.scope.repositories[last.repository])
        self.next_position = start._replace(path=last.path, reference=last.id)

    def read(self, repository: RepositorySnapshot, start: Position) -> bool:
        """Read from `start` on; return whether the repository's last reference was reached."""
        position = start
        while self.looks and self.room:
            self.looks -= 1
            files = files_from(
                self.scope.resolver,
                repository.id,
                position.path,
                inclusive=position.reference > 0,
                limit=CALLS_FILES,
            )
            taken = self._fitting(files)
            if files and not taken:
                break
            position = self._take(taken, position)
            if len(files) < CALLS_FILES and len(taken) == len(files) and not position.reference:
                self._add(repository, start, ends=True)
                return True
        self.next_position = position
        if position != start:
            self._add(repository, start, ends=False)
        return False

    def _add(self, repository: RepositorySnapshot, start: Position, *, ends: bool) -> None:
        """Add a repository's part, and whether it has the first and last reference."""
        self.parts[repository.id] = CallingProject(
            project=repository.name,
            commit=repository.commit,
            generation=repository.generation,
            begins=not start.path,
            ends=ends,
        )

    def _fitting(self, files: Sequence[CountedFile]) -> list[CountedFile]:
        """Return the first files that fit; a file larger than a portion is read in parts."""
        taken: list[CountedFile] = []
        room = self.room
        for file in files:
            is_first = room == CALLS_REFERENCES
            if file.references > room and not is_first:
                break
            taken.append(file)
            room = max(room - file.references, 0)
        return taken

    def _take(self, files: Sequence[CountedFile], position: Position) -> Position:
        """Read the files' references after a position; return the position after them."""
        if not files:
            return position._replace(reference=0)
        after = (position.path, position.reference)
        sites = sites_of_files(self.scope.resolver, files, after=after, limit=self.room)
        self.sites += sites
        if len(sites) == self.room:
            self.room = 0
            return position._replace(path=sites[-1].path, reference=sites[-1].id)
        self.room -= len(sites)
        return position._replace(path=files[-1].path, reference=0)


def read_portion(scope: TraceScope, position: Position) -> Portion:
    """Read the references from a position on.

    A repository of another generation or name than the position's is read from its beginning.
    """
    portion = Portion(scope, room=CALLS_REFERENCES, looks=CALLS_LOOKS)
    for repository, start in _ahead(scope, position):
        if not portion.read(repository, start):
            break
    return portion


def _ahead(scope: TraceScope, position: Position) -> Iterator[tuple[RepositorySnapshot, Position]]:
    """Yield the indexed repositories from the position on, each with its start."""
    for repository in sorted(scope.repositories.values(), key=lambda repository: repository.id):
        if repository.id < position.repository or not repository.generation:
            continue
        start = _start(repository)
        yield repository, position if position[:3] == start[:3] else start


def _start(repository: RepositorySnapshot) -> Position:
    return Position(repository.id, repository.generation, repository.name)


TOP_LEVEL: Final = "<module>"
_SALT: Final = "central.trace.calls"


def calls(*, credential: Credential, cursor: str = "") -> Calls:
    """Return the call edges of the next references, with at least medium confidence.

    Raises ForbiddenError for a job's token or a credential limited to a part of the organisation,
    and InvalidError for another organisation's cursor.
    """
    credential.require_whole_organization()
    asked = credential.organization.slug
    position = decode_cursor(cursor, salt=_SALT, asked=asked)
    with traced(credential, "calls") as scope:
        portion = read_portion(scope, Position(*position) if position else Position())
        found = _calls(scope, portion)
        scope.span.set_attributes(resultCount=len(found))
    next_position = portion.next_position
    missing, more = listed_missing([] if next_position else missing_projects(scope))
    return Calls(
        calls=found,
        projects=list(portion.parts.values()),
        references=len(portion.sites),
        next_cursor=encode_cursor(salt=_SALT, asked=asked, position=next_position)
        if next_position
        else None,
        missing=missing,
        missing_more=more,
        cut=limits_met(scope.resolver),
    )


def _calls(scope: TraceScope, portion: Portion) -> list[Call]:
    """Return the calls of the portion's references; truncate the portion if there are too many."""
    medium = Confidence.MEDIUM
    edges = find_callees(
        scope.resolver, portion.sites, min_confidence=medium, is_tallied=False
    ).edges
    definitions = definitions_at(scope.resolver, {edge.target for edge in edges})
    by_reference: dict[int, list[Edge]] = defaultdict(list)
    for edge in edges:
        if edge.target in definitions:
            by_reference[edge.site.id].append(edge)
    found: list[Call] = []
    for number, site in enumerate(portion.sites):
        further = by_reference[site.id]
        if found and len(found) + len(further) > CALLS_LISTED:
            portion.truncate(number)
            break
        found += [_call(scope, edge, definitions[edge.target]) for edge in further]
    return found


def _call(scope: TraceScope, edge: Edge, target: Definition) -> Call:
    site = edge.site
    repository = scope.repositories[site.repository]
    return Call(
        caller=site.caller or TOP_LEVEL,
        caller_project=repository.name,
        path=site.path,
        line=site.line,
        callee=target.qualified_name,
        callee_project=scope.repositories[target.repository].name,
        callee_path=target.path,
        kind=site.kind,
        rule=edge.rule,
        confidence=edge.confidence.name.lower(),
        commit=repository.commit,
    )
