"""What the indexer asks of an index that is there: its state, and who calls what has changed.

The records hold what is reported of central's answers, by the API's own names.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

from indexer.client.responses import malformed_answer, parse_commit
from indexer.client.transport import Transport
from indexer.errors import CentralRefusedError

Record = TypeVar("Record")
_CALLERS_SHOWN: Final = 200  # of a definition; the API's own limit


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition that has changed, as it is indexed."""

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
        """What tells it from others of its project."""
        return self.file, self.qualified_name


@dataclass(frozen=True, slots=True)
class Caller:
    """The definition in which a call stands; `<module>` is a file's top level."""

    name: str
    qualified_name: str
    kind: str
    line: int


@dataclass(frozen=True, slots=True)
class Call:
    """A use of a changed definition."""

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


@dataclass(frozen=True, slots=True)
class AffectedProject:
    """A project's calls of one definition: `count` is of all, `callers` are some."""

    project: str
    count: int
    callers: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """A changed definition and who calls it."""

    definition: Definition
    projects: tuple[AffectedProject, ...]

    @property
    def own(self) -> AffectedProject:
        """The calls in the definition's own project."""
        name = self.definition.project
        found = (one for one in self.projects if one.project == name)
        return next(found, AffectedProject(name, 0, ()))

    @property
    def others(self) -> tuple[AffectedProject, ...]:
        """The calls in other projects, most affected first."""
        others = [one for one in self.projects if one.project != self.definition.project]
        return tuple(sorted(others, key=lambda one: (-one.count, one.project)))

    @property
    def count(self) -> int:
        """Of all calls."""
        return sum(one.count for one in self.projects)


@dataclass(frozen=True, slots=True)
class MissingProject:
    """A project of which the answer may lack something."""

    project: str
    reason: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """Which commits answered (by project), and what the answer may lack."""

    projects: Mapping[str, str]
    missing: tuple[MissingProject, ...]
    unresolved: int
    cut: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every project that was asked is current and nothing was cut."""
        return not self.missing and not self.cut


@dataclass(frozen=True, slots=True)
class Answer:
    """Callers of what has changed; `unknown` are files that are not indexed.

    `visibilities`: the only ones that the credential may see repositories of; None: any.
    """

    symbols: tuple[ChangedSymbol, ...]
    unknown: tuple[str, ...]
    visibilities: tuple[str, ...] | None
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """A changed file of the index and its changed lines; none: all of it."""

    path: str
    lines: tuple[tuple[int, int], ...] = ()


class ImpactQueries:
    """One project of one service, as one credential sees it. Raises CentralError."""

    def __init__(self, transport: Transport, *, organization: str, project: str) -> None:
        self._transport = transport
        self._organization = organization
        self._project = project

    def indexed_commit(self) -> str | None:
        """The commit that is indexed; None for a project that central does not know."""
        query = urlencode({"org_id": self._organization, "project": self._project})
        try:
            answer = self._transport.request("GET", f"/api/v1/index/status?{query}")
        except CentralRefusedError as exc:
            if exc.code == "repository_not_found":
                return None
            raise
        with malformed_answer(answer):
            return parse_commit(answer["projects"][0]["last_indexed_commit"])

    def impact_at(self, files: Sequence[ChangedLines], *, min_confidence: str) -> Answer:
        """Who calls what is defined at the lines; at most IMPACT_CHANGES files."""
        rows = [{"path": one.path} | ({"lines": one.lines} if one.lines else {}) for one in files]
        return self._impact({"files": rows, "min_confidence": min_confidence})

    def impact_of(self, names: Sequence[str], *, min_confidence: str) -> Answer:
        """Who calls what is named so in the project; at most IMPACT_CHANGES qualified names."""
        return self._impact({"symbols": names, "min_confidence": min_confidence})

    def _impact(self, asked: Mapping[str, Any]) -> Answer:
        body = {
            "org_id": self._organization,
            "project": self._project,
            "limit": _CALLERS_SHOWN,
            **asked,
        }
        content = json.dumps(body).encode()
        answer = self._transport.request("POST", "/api/v1/trace/impact", content=content)
        with malformed_answer(answer):
            return Answer(
                symbols=tuple(_symbol(row) for row in answer["symbols"]),
                unknown=tuple(answer["unknown"]),
                visibilities=_optional_tuple(answer["visibilities"]),
                receipt=_receipt(answer["receipt"]),
            )


def _optional_tuple(values: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)


def _symbol(row: Mapping[str, Any]) -> ChangedSymbol:
    return ChangedSymbol(
        definition=_record(Definition, row["definition"]),
        projects=tuple(
            AffectedProject(
                project=one["project"],
                count=int(one["count"]),
                callers=tuple(_call(call) for call in one["callers"]),
            )
            for one in row["projects"]
        ),
    )


def _call(row: Mapping[str, Any]) -> Call:
    return _record(Call, {**row, "caller": _record(Caller, row["caller"])})


def _receipt(row: Mapping[str, Any]) -> Receipt:
    return Receipt(
        projects={one["project"]: one["commit"] for one in row["projects"]},
        missing=tuple(_record(MissingProject, one) for one in row["missing"]),
        unresolved=int(row["unresolved"]["count"]),
        cut=tuple(row["cut"]),
    )


def _record(kind: type[Record], row: Mapping[str, Any]) -> Record:
    """A dataclass from the members of the same names."""
    return kind(**{one.name: row[one.name] for one in fields(kind)})  # type: ignore[arg-type]
