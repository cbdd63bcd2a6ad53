"""Questions about an organisation as one: what its projects use of one another."""

from dataclasses import dataclass
from typing import Final

from aeterna_code_search.contract.notes import REQUIRED, argument
from aeterna_code_search.contract.trace import (
    ChangedFile,
    Confidence,
    cursor,
    min_confidence,
    symbols,
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

    project: str = argument(
        "",
        "Only what it uses and what uses it",
        tool="What it uses or uses it",
        chars=200,
    )
    level: str = argument(
        "project",
        "Whether a node is a project or a package",
        tool="package: the packages of projects",
        choices=LEVELS,
        cli="Repositories, or their packages",
    )
    min_confidence: Confidence = min_confidence()
    limit: int = argument(
        500,
        "Links at most, the strongest",
        tool="Links at most",
        low=1,
        high=MAP_LINKS,
        tool_default=100,
        cli="Maximum number of links",
        option="--limit -k",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumersRequest:
    """`POST /map/consumers`: of all definitions, or of `symbols` and what is in `files`."""

    min_confidence: Confidence = min_confidence()
    project: str = argument(REQUIRED, tool="The repository", chars=200)
    symbols: tuple[str, ...] = symbols()
    files: tuple[ChangedFile, ...] = ()
    package: str = argument(
        "",
        "Name or id of a package of the project",
        tool="Only this package of it",
        chars=1_000,
        cli="Only this package of the repository",
        option="NAME",
    )
    lags_only: bool = argument(
        False,
        "Only consumers that pin an older version than is indexed",
        tool="Only who pins an older version",
        cli="Only who pins an older version than is indexed",
        option="--lags",
    )
    limit: int = argument(
        50,
        "Consumers at most",
        tool="Consumers at most",
        low=1,
        high=MAP_ROWS,
        tool_default=30,
        cli="Maximum number of consumers",
        option="--limit -k",
    )


@dataclass(frozen=True, slots=True)
class MostCalledRequest:
    """`GET /map/most-called`."""

    min_confidence: Confidence = min_confidence()
    project: str = argument("", "Only its definitions", chars=200)
    limit: int = argument(
        50,
        "Definitions at most",
        low=1,
        high=MAP_ROWS,
        cli="Maximum number of results",
        option="--limit -k",
    )


@dataclass(frozen=True, slots=True)
class UnusedRequest:
    """`GET /map/unused`.

    `doubts` are those that are allowed, once it is read.
    """

    project: str = argument("", "Defined in this project", tool="Of the definition", chars=200)
    kind: tuple[str, ...] = argument(
        KINDS,
        f"Definitions of these kinds only; else {', '.join(KINDS)}",
        tool="Default: all but the last three",
        choices=(*KINDS, *MORE_KINDS),
    )
    include: tuple[str, ...] = argument(
        (),
        "Definitions in such files too",
        tool="Such files too",
        choices=LEFT_OUT,
        cli="Definitions in such files too; repeatable",
    )
    doubts: tuple[str, ...] = argument(
        tuple(CODES),
        "Only those without other doubts than these; none: without any",
        tool="Only with no other doubts",
        choices=("none", *sorted(CODES)),
    )
    limit: int = argument(
        50, tool="At most", low=1, high=UNUSED_LISTED, cli="Maximum number", option="--limit -k"
    )
    cursor: str = cursor()
