"""What the running service answers: `GET /api/v1/trace/callers`, all pages."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from benchmarks.callers.truth import Definition

LIMIT = 200
LEVELS = ("high", "medium", "low")


@dataclass(frozen=True, slots=True)
class Found:
    """A caller as the service tells it."""

    project: str
    file: str
    line: int
    column: int
    rule: str
    confidence: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The callers of one definition by the least confidence asked for; none if it is unknown."""

    known: bool
    callers: dict[str, tuple[Found, ...]]


def ask(client: httpx.Client, organization: str, definition: Definition) -> Answer:
    """All callers of exactly this definition, for each level."""
    callers = {}
    for level in LEVELS:
        parameters = {
            "org_id": organization,
            "symbol": definition.qualified_name,
            "project": definition.project,
            "file": definition.file,
            "min_confidence": level,
            "limit": str(LIMIT),
        }
        pages = list(_pages(client, parameters))
        if not pages:
            return Answer(known=False, callers=dict.fromkeys(LEVELS, ()))
        callers[level] = tuple(found for page in pages for found in _callers(page, definition))
    return Answer(known=True, callers=callers)


def _pages(client: httpx.Client, parameters: dict[str, str]) -> Iterator[dict[str, Any]]:
    cursor: str | None = ""
    while cursor is not None:
        asked = {**parameters, **({"cursor": cursor} if cursor else {})}
        response = client.get("/api/v1/trace/callers", params=asked)
        if response.status_code == httpx.codes.NOT_FOUND:
            return
        page: dict[str, Any] = response.raise_for_status().json()
        yield page
        cursor = page["next_cursor"]


def _callers(page: dict[str, Any], definition: Definition) -> Iterator[Found]:
    """Callers of definitions of other names (`symbol` may be read as a bare name) are left out."""
    meant = (definition.project, definition.file, definition.qualified_name)
    targets = {
        index
        for index, one in enumerate(page["definitions"])
        if (one["project"], one["file"], one["qualified_name"]) == meant
    }
    for row in page["callers"]:
        if row["target"] in targets:
            place = (row["project"], row["file"], row["line"], row["column"])
            yield Found(*place, row["rule"], row["confidence"])
