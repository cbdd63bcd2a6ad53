"""Answers about an organisation as one, and how the schema describes them."""

from dataclasses import dataclass, field
from typing import Annotated

from aeterna_code_search.contract.codemap import CODES
from aeterna_code_search.contract.projects import (
    MISSING_MORE,
    OWNER_COUNTS,
    AnsweringProject,
    MissingProject,
    OwnerCount,
)
from aeterna_code_search.contract.trace import ShownDefinition


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason for which the definition may be used."""

    code: Annotated[str, "Stable: " + ", ".join(sorted(CODES))]
    count: Annotated[int | None, "Of what it is about, if it is counted"] = None
    place: Annotated[str | None, "project/path:line of the first one, for name_in_text"] = None


@dataclass(frozen=True, slots=True)
class MapReceipt:
    """Which commits answered, and what the answer may lack."""

    complete: Annotated[bool, "Whether nothing is missing, left out or cut"]
    took_ms: float
    projects: list[AnsweringProject]
    missing: list[MissingProject]
    missing_more: Annotated[int, MISSING_MORE]
    files_left_out: Annotated[
        int,
        "Files whose references are left out: just indexed, or too many to resolve them for a "
        "credential that sees a part",
    ]
    cut: Annotated[list[str], "Limits that were met"]


@dataclass(frozen=True, slots=True)
class MapNode:
    """A project, or a package of one."""

    id: Annotated[str, "project, or project/root:ecosystem:name of a package"]
    project: str
    package: Annotated[str | None, "null: the project, or what no manifest of it is about"]
    ecosystem: str | None
    version: str | None
    commit: str
    users: Annotated[int, "Nodes that use it, shown or not"]
    uses: Annotated[int, "Nodes that it uses, shown or not"]


@dataclass(frozen=True, slots=True)
class Versions:
    """How a package asks for another one."""

    package: Annotated[str, "The one that is asked for"]
    required: str | None
    pinned: str | None
    indexed: str | None
    lags: Annotated[bool | None, "Whether pinned is older than indexed; null: it is not known"]


@dataclass(frozen=True, slots=True)
class MapLink:
    """One node uses another."""

    source: Annotated[str, "Id of the node that uses"]
    target: Annotated[str, "Id of the node that is used"]
    calls: Annotated[
        int,
        "References of every kind but types, once for each definition that one may mean",
    ]
    imports: int
    versions: Annotated[list[Versions], "Of its manifests, the first 20; []: none asks for it"]
    cycle: Annotated[int | None, "Index in cycles, if both nodes are in one"]


@dataclass(frozen=True, slots=True)
class CodeMap:
    """What the visible projects use of one another."""

    nodes: Annotated[list[MapNode], "Ends of the links, by id"]
    links: Annotated[list[MapLink], "Those with most calls and imports first"]
    links_more: Annotated[int, "How many more there are than limit"]
    cycles: Annotated[list[list[str]], "Ids of nodes that use one another, the most first"]
    alone: Annotated[int, "Indexed projects without any link"]
    receipt: MapReceipt
    hint: Annotated[str | None, "Why the answer is empty"]


@dataclass(frozen=True, slots=True)
class UsedDefinition:
    """A definition of the project that a consumer uses."""

    name: Annotated[str, "Its qualified name"]
    kind: str
    file: str
    line: int
    calls: Annotated[
        int,
        "References of every kind but types, once for each definition that one may mean",
    ]
    imports: Annotated[int, "Imports that name it; 0 unless symbols or files were asked for"]
    url: str | None


@dataclass(frozen=True, slots=True)
class Consumer:
    """A package of another project that uses the project, or asks for it."""

    id: Annotated[str, "As in the map"]
    project: str
    package: Annotated[str | None, "null: what no manifest of the project is about"]
    commit: str
    versions: Annotated[list[Versions], "Of its manifests, the first 20; []: none asks for it"]
    lags: Annotated[bool | None, "Whether a pinned version is older; null: it is not known"]
    calls: Annotated[int, "References; each counts for every definition that it may lead to"]
    imports: int
    definitions: Annotated[list[UsedDefinition], "The 20 that it uses most"]
    definitions_more: int
    owners: Annotated[
        list[str] | None,
        "Who owns its manifest by CODEOWNERS, or without one all of its project; empty: no owner; "
        "null: not known",
    ] = None


@dataclass(frozen=True, slots=True)
class Inside:
    """What the project itself uses, outside of the package or the definitions."""

    calls: int
    imports: int


@dataclass(frozen=True, slots=True)
class Consumers:
    """The consumers of a project, of a package or of definitions of it."""

    project: str
    commit: str
    definitions_asked: Annotated[int | None, "How many; null: all"]
    unknown: Annotated[list[str], "Symbols and files that are not in the index"]
    consumers: Annotated[list[Consumer], "Those with most calls and imports first"]
    consumers_more: Annotated[int, "How many more there are than limit"]
    lagging: Annotated[int, "How many of all lag"]
    inside: Inside
    unresolved: Annotated[
        int, "References by the names of the definitions of which nothing else is known"
    ]
    receipt: MapReceipt
    hint: Annotated[str | None, "Why the answer is empty"]
    owners: Annotated[list[OwnerCount], f"All consumers. {OWNER_COUNTS}"] = field(
        default_factory=list
    )


@dataclass(frozen=True, slots=True)
class CallingProjectCount:
    """How often a project uses a definition."""

    project: str
    calls: int


@dataclass(frozen=True, slots=True)
class MostCalledDefinition:
    """A definition with the other projects that use it."""

    project: str
    file: str
    line: int
    name: Annotated[str, "Its qualified name"]
    kind: str
    package: Annotated[str | None, "The distribution it is part of"]
    url: str | None
    projects: Annotated[int, "How many other projects use it"]
    calls: Annotated[int, "References in them, of every kind but types"]
    users: Annotated[list[CallingProjectCount], "The 20 with most calls"]


@dataclass(frozen=True, slots=True)
class MostCalled:
    """The definitions that most other projects use."""

    definitions: Annotated[list[MostCalledDefinition], "By projects, then by calls"]
    definitions_more: Annotated[int, "How many more there are than limit"]
    receipt: MapReceipt
    hint: Annotated[str | None, "Why the answer is empty"]


@dataclass(frozen=True, slots=True)
class UnusedDefinition(ShownDefinition):
    """A public definition to which nothing visible leads, with why it may be used all the same."""

    doubts: Annotated[list[Doubt], "By code; []: nothing that is visible speaks for a use"] = field(
        default_factory=list
    )


@dataclass(frozen=True, slots=True)
class Unused:
    """A page of the public definitions without a caller in any visible repository."""

    definitions: Annotated[list[UnusedDefinition], "In order of project, file and line"]
    count: Annotated[int, "Of this page"]
    looked_at: Annotated[int, "Definitions at which this page has looked"]
    next_cursor: str | None
    receipt: MapReceipt
    hint: Annotated[str | None, "Why the page is empty"]
