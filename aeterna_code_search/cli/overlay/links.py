"""Merge two traces of a symbol: references in changed files come from the work tree. Pure.

The local index knows one project. It supplies the references of changed files within the project;
references to other projects come from central, on lines that were not edited.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from aeterna_code_search.cli.overlay.overlay import EDITED_LINES, Overlay, Row


class _Definitions(NamedTuple):
    """The definitions of the answer; `local_indexes` maps the local answer's indexes to them."""

    rows: list[Row]
    local_indexes: dict[int, int]

    def known_locally(self) -> set[int]:
        """Return the indexes of definitions that the local index knows."""
        return set(self.local_indexes.values())


def merge_links(
    central: Mapping[str, Any],
    local: Mapping[str, Any] | None,
    overlay: Overlay,
    *,
    what: str,
    is_first: bool = True,
) -> Row:
    """Merge a page of callers or callees (`what`), ordered by project, file and line.

    `local` is None if the project does not have the symbol. The first page has all references of
    the local index, so it may be longer than its limit.
    """
    if overlay.is_empty:
        return {**central}
    definitions = _definitions(
        central["definitions"], local["definitions"] if local else (), overlay
    )
    rows = local[what] if local else []
    page = _Page(overlay, definitions, _lines(definitions.rows, rows, overlay))
    links = [*page.from_central(central[what]), *page.from_local(rows if is_first else ())]
    links.sort(key=_sort_key)
    is_incomplete = page.edited or _may_lack_links(definitions.rows, overlay, what)
    reasons = overlay.gaps + ([EDITED_LINES] if is_incomplete else [])
    hint = central.get("hint") or (local or {}).get("hint")
    return {
        **central,
        "definitions": definitions.rows,
        what: links,
        "count": len(links),
        "receipt": overlay.receipt(central["receipt"], *reasons),
        "hint": None if links else hint,
    }


def local_only_links(local: Mapping[str, Any], overlay: Overlay, *, what: str) -> Row:
    """Return the answer for a symbol that central does not know, from every file."""
    nothing = {**local, "definitions": [], what: [], "next_cursor": None}
    answer = merge_links(nothing, local, replace(overlay, changed=None), what=what)
    reasons = [EDITED_LINES] if what == "callees" else []  # other projects cannot refer to it yet
    return {**answer, "receipt": overlay.receipt(overlay.local_receipt(local["receipt"]), *reasons)}


def _may_lack_links(definitions: Iterable[Row], overlay: Overlay, what: str) -> bool:
    """Whether edited lines may refer to other projects, which the local index does not know."""
    if what == "callers":
        names = {row["name"] for row in definitions if row["project"] != overlay.project}
        return overlay.lines.is_mentioned(sorted(names))
    return any(
        overlay.lines.are_edited(row["file"], row["line"], row["end_line"])
        for row in definitions
        if row.get("local")
    )


class _Page:
    """The links of a page; `edited` counts those that the work tree may have changed."""

    def __init__(
        self, overlay: Overlay, definitions: _Definitions, lines: Mapping[tuple[str, str], int]
    ) -> None:
        self.edited = 0
        self._overlay = overlay
        self._definitions = definitions
        self._lines = lines

    def from_central(self, rows: Iterable[Row]) -> list[Row]:
        return [shown for row in rows if (shown := self._shown(row)) is not None]

    def from_local(self, rows: Iterable[Row]) -> list[Row]:
        targets = self._definitions.local_indexes
        return [
            _local_link(row, targets[row["target"]], self._overlay)
            for row in rows
            if row["target"] in targets and self._is_local_link(row)
        ]

    def _is_local_link(self, row: Row) -> bool:
        overlay = self._overlay
        return overlay.is_own(row) and overlay.is_own(row["callee"]) and overlay.has(row["file"])

    def _shown(self, row: Row) -> Row | None:
        overlay = self._overlay
        endpoints = {end: self._relined(row[end]) for end in ("caller", "callee")}
        if not overlay.is_overridden(row):
            return {**row, **endpoints}
        is_internal = row["callee"]["project"] == overlay.project
        if is_internal and row["target"] in self._definitions.known_locally():
            return None
        line = overlay.lines.map_line(row["file"], row["line"])
        if not is_internal and (line is None or not self._is_unmoved(row["caller"])):
            self.edited += 1
        if line is None:
            return None
        return overlay.local_row({**row, **endpoints, "line": line, "commit": overlay.commit})

    def _is_unmoved(self, end: Row) -> bool:
        """Whether the definition still has its file, line and name."""
        key = (end["file"], end["qualified_name"])
        return (
            not end["qualified_name"]
            or key in self._lines
            or self._overlay.lines.map_line(end["file"], end["line"]) is not None
        )

    def _relined(self, end: Row) -> Row:
        if not self._overlay.is_overridden(end):
            return end
        known = self._lines.get((end["file"], end["qualified_name"]))
        line = known or self._overlay.lines.map_line(end["file"], end["line"]) or end["line"]
        return end if line == end["line"] else {**end, "line": line}


def _local_link(row: Row, target: int, overlay: Overlay) -> Row:
    endpoints = {
        end: {**row[end], "project": overlay.project} if overlay.is_own(row[end]) else row[end]
        for end in ("caller", "callee")
    }
    return overlay.local_row({**row, **endpoints, "target": target})


def _definitions(central: Iterable[Row], local: Iterable[Row], overlay: Overlay) -> _Definitions:
    """Keep central's definitions in order; replace those in changed files, or mark them `gone`.

    A definition that moved to another file keeps its position in the answer.
    """
    own = {n: row for n, row in enumerate(local) if overlay.is_own(row)}
    positions = {(row["file"], row["qualified_name"]): n for n, row in own.items()}
    rows = [dict(row) for row in central]
    twins: dict[int, int] = {}
    for index, row in enumerate(rows):
        same = positions.get((row["file"], row["qualified_name"]))
        if row["project"] == overlay.project and same is not None:
            twins[index] = same
    for index, row in enumerate(rows):
        if index not in twins and overlay.is_overridden(row):
            moved = _moved_definition(row, own, set(twins.values()), overlay)
            if moved is not None:
                twins[index] = moved
    shown = [
        _shown_definition(row, own.get(twins.get(n, -1)), overlay) for n, row in enumerate(rows)
    ]
    local_indexes = {twin: index for index, twin in twins.items()}
    for n, row in own.items():
        if n not in local_indexes and overlay.has(row["file"]):
            local_indexes[n] = len(shown)
            shown.append(overlay.local_row(row))
    return _Definitions(shown, local_indexes)


def _moved_definition(
    row: Row, own: Mapping[int, Row], used: set[int], overlay: Overlay
) -> int | None:
    key = (row["qualified_name"], row["kind"])
    return next(
        (
            n
            for n, definition in own.items()
            if n not in used
            and overlay.has(definition["file"])
            and (definition["qualified_name"], definition["kind"]) == key
        ),
        None,
    )


def _shown_definition(row: Row, twin: Row | None, overlay: Overlay) -> Row:
    if not overlay.is_overridden(row):
        return row
    return {**row, "gone": True} if twin is None else overlay.local_row(twin)


def _lines(definitions: Iterable[Row], rows: Iterable[Row], overlay: Overlay) -> dict[Any, int]:
    """Map definitions of changed files to their lines, from the local answer."""
    endpoints = [
        row[end] for row in rows for end in ("caller", "callee") if overlay.is_own(row[end])
    ]
    endpoints += [row for row in definitions if row.get("local")]
    return {(end["file"], end["qualified_name"]): end["line"] for end in endpoints}


def _sort_key(row: Row) -> tuple[Any, ...]:
    """Return the sort key of central's order."""
    return row["project"], row["file"], row["line"], row["column"], row["depth"], row["target"]
