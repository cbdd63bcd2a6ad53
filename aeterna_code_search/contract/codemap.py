"""Questions about an organisation as one: what its projects use of one another."""

from dataclasses import dataclass
from typing import Annotated, Final

from aeterna_code_search.contract.notes import Argument
from aeterna_code_search.contract.trace import (
    ChangedFile,
    Confidence,
    Cursor,
    MinConfidence,
    Symbols,
)
from indexer.limits import MAP_LINKS, MAP_ROWS, UNUSED_LISTED

LEVELS: Final = ("project", "package")
KINDS: Final = ("function", "method", "class", "interface", "enum", "struct", "trait", "type")
MORE_KINDS: Final = ("constant", "property", "module")
LEFT_OUT: Final = ("tests", "examples", "docs", "generated", "vendored", "declarations")
CODES: Final = {
    "edges_behind": "files whose references are not known yet",
    "entry_point": "may be called by the language, a framework or from outside",
    "generated": "its file is generated",
    "missing_projects": "projects in scope that may lack something",
    "name_in_text": "its name stands where no reference explains it",
    "older_extractor": "projects that an older extractor has read",
    "outside_base": "may implement a member of a class or interface outside",
    "partly_parsed": "files with its name in lines that their grammar does not understand",
    "published": "part of a package that others may install",
    "reexported": "files that only re-export it under the name of their package",
    "unresolved_uses": "references by its name of which nothing tells what they mean",
}


@dataclass(frozen=True, slots=True)
class MapRequest:
    """`GET /map`."""

    project: Annotated[
        str,
        Argument(
            "Only what it uses and what uses it",
            tool="Only what it uses and what uses it",
            chars=200,
        ),
    ] = ""
    level: Annotated[
        str,
        Argument(
            "Whether a node is a project or a package",
            tool="package: the packages of projects",
            choices=LEVELS,
        ),
    ] = "project"
    min_confidence: MinConfidence = Confidence.MEDIUM
    limit: Annotated[
        int,
        Argument(
            "Links at most, the strongest",
            tool="Links at most",
            low=1,
            high=MAP_LINKS,
            tool_default=100,
        ),
    ] = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumersRequest:
    """`POST /map/consumers`: of all definitions, or of `symbols` and what is in `files`."""

    min_confidence: MinConfidence = Confidence.MEDIUM
    project: Annotated[str, Argument(tool="The repository", chars=200)]
    symbols: Symbols = ()
    files: tuple[ChangedFile, ...] = ()
    package: Annotated[
        str,
        Argument(
            "Name or id of a package of the project", tool="Only this package of it", chars=1_000
        ),
    ] = ""
    lags_only: Annotated[
        bool,
        Argument(
            "Only consumers that pin an older version than is indexed",
            tool="Only who pins an older version",
        ),
    ] = False
    limit: Annotated[
        int,
        Argument(
            "Consumers at most", tool="Consumers at most", low=1, high=MAP_ROWS, tool_default=30
        ),
    ] = 50


@dataclass(frozen=True, slots=True)
class MostCalledRequest:
    """`GET /map/most-called`."""

    min_confidence: MinConfidence = Confidence.MEDIUM
    project: Annotated[str, Argument("Only its definitions", chars=200)] = ""
    limit: Annotated[int, Argument("Definitions at most", low=1, high=MAP_ROWS)] = 50


@dataclass(frozen=True, slots=True)
class UnusedRequest:
    """`GET /map/unused`.

    `doubts` are those that are allowed, once it is read.
    """

    project: Annotated[
        str, Argument("Defined in this project", tool="Of the definition", chars=200)
    ] = ""
    kind: Annotated[
        tuple[str, ...],
        Argument(
            f"Definitions of these kinds only; else {', '.join(KINDS)}",
            tool="Such definitions only; else all but the last three",
            choices=(*KINDS, *MORE_KINDS),
        ),
    ] = KINDS
    include: Annotated[
        tuple[str, ...],
        Argument("Definitions in such files too", tool="Such files too", choices=LEFT_OUT),
    ] = ()
    doubts: Annotated[
        tuple[str, ...],
        Argument(
            "Only those without other doubts than these; none: without any",
            tool="Only those without other doubts than these",
            choices=("none", *sorted(CODES)),
        ),
    ] = tuple(CODES)
    limit: Annotated[int, Argument(tool="At most", low=1, high=UNUSED_LISTED)] = 50
    cursor: Cursor = ""
