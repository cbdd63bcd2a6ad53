"""What the running service answers: `GET /api/v1/trace/callers`, all pages.

Callers of high confidence are those of medium that say so. Low is asked where medium lacks a true
caller, to see whether the answer tells of it at all.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from benchmarks.callers.truth import Definition, Place

LIMIT = 200
LEVELS = ("high", "medium")
Line = tuple[str, str, int]  # project, file, line
Bound = tuple[str, str, str]  # project, file, qualified name


@dataclass(frozen=True, slots=True)
class Found:
    """A caller as the service tells it."""

    project: str
    file: str
    line: int
    column: int
    rule: str
    confidence: str

    @property
    def place(self) -> Place:
        """Comparable with a site's."""
        return self.project, self.file, self.line, self.column


@dataclass(frozen=True, slots=True)
class Edge:
    """A resolved reference: the line that has it, and the definition that it is bound to."""

    line: Line
    bound: Bound
    rule: str
    confidence: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The callers of one definition by the least confidence asked for; none if it is unknown.

    `listed` is every place in the answer at low, of whichever definition it is said to be a caller,
    and `by_name` how many of them are listed for their name alone. `counted` is how many references
    the receipt counts as unresolved, at each level that was asked.
    """

    known: bool
    callers: dict[str, tuple[Found, ...]]
    counted: tuple[int, ...] = ()
    listed: frozenset[Place] = frozenset()
    by_name: int = 0


def ask(
    client: httpx.Client, organization: str, definition: Definition, wanted: Iterable[Place]
) -> Answer:
    """All callers of exactly this definition; `wanted` are the true ones."""
    pages = list(_callers_pages(client, organization, definition, "medium"))
    if not pages:
        return Answer(known=False, callers=dict.fromkeys(LEVELS, ()))
    medium = tuple(_callers(pages, definition))
    found = {"medium": medium, "high": tuple(one for one in medium if one.confidence == "high")}
    counted = pages[0]["receipt"]["unresolved"]["count"]
    if {*wanted} <= {one.place for one in medium}:
        return Answer(known=True, callers=found, counted=(counted,))
    pages = list(_callers_pages(client, organization, definition, "low"))
    rows = [row for page in pages for row in page["callers"]]
    return Answer(
        known=True,
        callers=found,
        counted=(counted, pages[0]["receipt"]["unresolved"]["count"]),
        listed=frozenset(_place(row) for row in rows),
        by_name=len({_place(row) for row in rows if row["rule"] == "name_only"}),
    )


def edges(client: httpx.Client, organization: str) -> list[Edge]:
    """All resolved references of the organisation."""
    return [
        Edge(
            (call["caller_project"], call["path"], call["line"]),
            (call["callee_project"], call["callee_path"], call["callee"]),
            call["rule"],
            call["confidence"],
        )
        for page in _pages(client, "calls", {"org_id": organization})
        for call in page["calls"]
    ]


def bindings(found: Iterable[Edge]) -> dict[Line, set[Bound]]:
    """What the references of each line are bound to."""
    bound: dict[Line, set[Bound]] = {}
    for edge in found:
        bound.setdefault(edge.line, set()).add(edge.bound)
    return bound


def _callers_pages(
    client: httpx.Client, organization: str, definition: Definition, level: str
) -> Iterator[dict[str, Any]]:
    parameters = {
        "org_id": organization,
        "symbol": definition.qualified_name,
        "project": definition.project,
        "file": definition.file,
        "min_confidence": level,
        "limit": str(LIMIT),
    }
    return _pages(client, "callers", parameters)


def _pages(
    client: httpx.Client, route: str, parameters: dict[str, str]
) -> Iterator[dict[str, Any]]:
    cursor: str | None = ""
    while cursor is not None:
        asked = {**parameters, **({"cursor": cursor} if cursor else {})}
        response = client.get(f"/api/v1/trace/{route}", params=asked)
        if response.status_code == httpx.codes.NOT_FOUND:
            return
        page: dict[str, Any] = response.raise_for_status().json()
        yield page
        cursor = page["next_cursor"]


def _callers(pages: Iterable[dict[str, Any]], definition: Definition) -> Iterator[Found]:
    """Callers of definitions of other names (`symbol` may be read as a bare name) are left out."""
    meant = (definition.project, definition.file, definition.qualified_name)
    for page in pages:
        targets = {
            index
            for index, one in enumerate(page["definitions"])
            if (one["project"], one["file"], one["qualified_name"]) == meant
        }
        for row in page["callers"]:
            if row["target"] in targets:
                yield Found(*_place(row), row["rule"], row["confidence"])


def _place(row: dict[str, Any]) -> Place:
    return row["project"], row["file"], row["line"], row["column"]
