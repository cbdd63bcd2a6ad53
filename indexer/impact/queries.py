"""Queries to an existing index: its state, and callers of changed definitions.

The records have the parts of central's answers that are reported, with the API's names.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

from indexer.client.responses import malformed_answer, parse_commit
from indexer.client.transport import Transport
from indexer.errors import CentralRefusedError
from indexer.records.refs import short_name

Record = TypeVar("Record")
_CALLERS_SHOWN: Final = 200  # of a definition; the API's own limit


@dataclass(frozen=True, slots=True)
class Definition:
    """A changed definition as it is indexed."""

    project: str
    commit: str
    file: str
    line: int
    end_line: int
    name: str
    qualified_name: str
    kind: str
    url: str | None

    @property
    def key(self) -> tuple[str, str]:
        """The key that identifies it within its project."""
        return self.file, self.qualified_name


@dataclass(frozen=True, slots=True)
class Caller:
    """The definition that contains a call; `<module>` is a file's top level."""

    name: str
    qualified_name: str
    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class LastChange:
    """The newest commit that changed a caller."""

    commit: str
    committed_at: str
    subject: str
    url: str | None


@dataclass(frozen=True, slots=True)
class Call:
    """A reference to a changed definition."""

    file: str
    line: int
    kind: str
    caller: Caller
    rule: str
    confidence: str
    evidence: str
    candidates: int
    pinned_version: str | None
    required_version: str | None
    indexed_version: str | None
    lags: bool | None
    url: str | None
    last_change: LastChange | None = None


@dataclass(frozen=True, slots=True)
class AffectedProject:
    """A project's calls of one definition: `count` of all, `callers` with some of them."""

    project: str
    count: int
    callers: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class OwnerCount:
    """How many callers are in files of an owner; None: without one, or it is not known."""

    owner: str | None
    count: int
    known: bool = True


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """A changed definition and its callers; an earlier service does not give their owners."""

    definition: Definition
    projects: tuple[AffectedProject, ...]
    owners: tuple[OwnerCount, ...] = ()

    @property
    def own(self) -> AffectedProject:
        """The calls in the definition's own project."""
        name = self.definition.project
        found = (project for project in self.projects if project.project == name)
        return next(found, AffectedProject(name, 0, ()))

    @property
    def others(self) -> tuple[AffectedProject, ...]:
        """The calls in other projects, most affected first."""
        others = [
            project for project in self.projects if project.project != self.definition.project
        ]
        return tuple(sorted(others, key=lambda project: (-project.count, project.project)))

    @property
    def count(self) -> int:
        """The number of all calls."""
        return sum(project.count for project in self.projects)


def callers_by_owner(symbols: Iterable[ChangedSymbol]) -> list[OwnerCount]:
    """Return the callers of all symbols by owner, most first; none if no file has one."""
    counts: Counter[tuple[str | None, bool]] = Counter()
    for symbol in symbols:
        for owner_count in symbol.owners:
            counts[owner_count.owner, owner_count.known] += owner_count.count
    if not any(owner for owner, _ in counts):
        return []
    found = [OwnerCount(owner, count, known) for (owner, known), count in counts.items()]
    return sorted(found, key=lambda owner: (-owner.count, owner.owner is None, owner.owner or ""))


@dataclass(frozen=True, slots=True)
class MissingProject:
    """A project whose part of the answer may be incomplete."""

    project: str
    reason: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """The commits that answered, by project, and what may be missing from the answer."""

    projects: Mapping[str, str]
    missing: tuple[MissingProject, ...]
    unresolved: int
    cut: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every queried project is current and nothing was cut."""
        return not self.missing and not self.cut


@dataclass(frozen=True, slots=True)
class Answer:
    """Callers of changed definitions; `unknown` are files that are not indexed.

    `visibilities`: the only repository visibilities within the credential's scope; None: any.
    `last_changes_left_out`: callers whose last change was not looked up.
    """

    symbols: tuple[ChangedSymbol, ...]
    unknown: tuple[str, ...]
    visibilities: tuple[str, ...] | None
    receipt: Receipt
    last_changes_left_out: int = 0


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """A changed file of the index and its changed lines; without lines all of it."""

    path: str
    lines: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class IndexedBranch:
    """Which commit of a project is indexed, of its branch `ref`; "": of the default branch.

    `not_indexed`: the branch that was asked for, if it has no index.
    """

    commit: str | None
    ref: str = ""
    not_indexed: str = ""


class ImpactQueries:
    """Queries about one project of one service with one credential. Raise CentralError."""

    def __init__(self, transport: Transport, *, organization: str, project: str) -> None:
        self._transport = transport
        self._organization = organization
        self._project = project

    def indexed_branch(self, branch: str = "") -> IndexedBranch:
        """Return the indexed commit of the branch of this short name, if there is one.

        Else that of the default branch, as also of a service that knows no branches. There is no
        commit if central does not know the project.
        """
        query = urlencode({"org_id": self._organization, "project": self._project})
        try:
            answer = self._transport.request("GET", f"/api/v1/index/status?{query}")
        except CentralRefusedError as exc:
            if exc.code == "repository_not_found":
                return IndexedBranch(None)
            raise
        with malformed_answer(answer):
            row = answer["projects"][0]
            return _indexed(row, branch)

    def impact_at(
        self, files: Sequence[ChangedLines], *, min_confidence: str, ref: str = ""
    ) -> Answer:
        """Return the callers of definitions at the lines; at most IMPACT_CHANGES files.

        `ref` is the branch that these are of, if `indexed_branch` says that it is indexed.
        """
        rows = [
            {"path": file.path} | ({"lines": file.lines} if file.lines else {}) for file in files
        ]
        return self._impact({"files": rows, "min_confidence": min_confidence}, ref)

    def impact_of(self, names: Sequence[str], *, min_confidence: str, ref: str = "") -> Answer:
        """Return the callers of definitions by qualified name; at most IMPACT_CHANGES names."""
        return self._impact({"symbols": names, "min_confidence": min_confidence}, ref)

    def _impact(self, query: Mapping[str, Any], ref: str) -> Answer:
        body = {
            "org_id": self._organization,
            "project": self._project,
            "limit": _CALLERS_SHOWN,
            **query,
        } | ({"ref": ref} if ref else {})
        content = json.dumps(body).encode()
        answer = self._transport.request("POST", "/api/v1/trace/impact", content=content)
        with malformed_answer(answer):
            visibilities = answer["visibilities"]
            return Answer(
                symbols=tuple(_symbol(row) for row in answer["symbols"]),
                unknown=tuple(answer["unknown"]),
                visibilities=None if visibilities is None else tuple(visibilities),
                receipt=_receipt(answer["receipt"]),
                last_changes_left_out=int(answer.get("last_changes_left_out", 0)),
            )


def _indexed(row: Mapping[str, Any], branch: str) -> IndexedBranch:
    """Read a project's status. A service of before there were branches does not list them."""
    default = parse_commit(row["last_indexed_commit"])
    if not branch or branch == short_name(str(row["default_branch"])):
        return IndexedBranch(default)
    for other in row.get("branches", ()):
        commit = parse_commit(other["last_indexed_commit"])
        if other["ref"] == branch and commit and not other["reason"]:
            return IndexedBranch(commit, branch)
    return IndexedBranch(default, not_indexed=branch)


def _symbol(row: Mapping[str, Any]) -> ChangedSymbol:
    return ChangedSymbol(
        definition=_record(Definition, row["definition"]),
        projects=tuple(
            AffectedProject(
                project=project["project"],
                count=int(project["count"]),
                callers=tuple(_call(call) for call in project["callers"]),
            )
            for project in row["projects"]
        ),
        owners=tuple(
            _record(OwnerCount, {**owner, "count": int(owner["count"])})
            for owner in row.get("owners", ())
        ),
    )


def _call(row: Mapping[str, Any]) -> Call:
    changed = row.get("last_change")  # an earlier service does not give it
    parts = {
        "caller": _record(Caller, row["caller"]),
        "last_change": _record(LastChange, changed) if changed else None,
    }
    return _record(Call, {**row, **parts})


def _receipt(row: Mapping[str, Any]) -> Receipt:
    return Receipt(
        projects={project["project"]: project["commit"] for project in row["projects"]},
        missing=tuple(_record(MissingProject, project) for project in row["missing"]),
        unresolved=int(row["unresolved"]["count"]),
        cut=tuple(row["cut"]),
    )


def _record(kind: type[Record], row: Mapping[str, Any]) -> Record:
    """Build a dataclass from the members with its fields' names."""
    return kind(**{field.name: row[field.name] for field in fields(kind)})  # type: ignore[arg-type]
