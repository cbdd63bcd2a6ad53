"""Two traces of one symbol as one: uses in changed files as the work tree has them. Pure.

The local index knows the one project. So of a changed file it tells the uses that stay in the
project; those that leave it are central's, on lines that were not edited.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from cli.overlay.overlay import EDITED_LINES, Overlay, Row


class _Definitions(NamedTuple):
    """What the symbol means; indexes of either side's own list lead to that of the answer."""

    rows: list[Row]
    of_local: dict[int, int]

    def told_locally(self) -> set[int]:
        """Indexes of those that the local index knows too."""
        return set(self.of_local.values())


def merge_links(
    central: Mapping[str, Any],
    local: Mapping[str, Any] | None,
    overlay: Overlay,
    *,
    what: str,
    is_first: bool = True,
) -> Row:
    """A page of callers or callees (`what`), by project, file and line.

    `local` is None where the symbol is not there, or not the project's. The first page has all
    references of the local index, so it may be longer than was asked for.
    """
    if overlay.is_empty:
        return {**central}
    definitions = _definitions(
        central["definitions"], local["definitions"] if local else (), overlay
    )
    rows = local[what] if local else []
    page = _Page(overlay, definitions, _lines(definitions.rows, rows, overlay))
    links = [*page.of_central(central[what]), *page.of_local(rows if is_first else ())]
    links.sort(key=_place)
    is_lacking = page.edited or _is_lacking(definitions.rows, overlay, what)
    reasons = overlay.gaps + ([EDITED_LINES] if is_lacking else [])
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
    """The answer for a symbol that central does not know: whatever file the uses are in."""
    nothing = {**local, "definitions": [], what: [], "next_cursor": None}
    answer = merge_links(nothing, local, replace(overlay, changed=None), what=what)
    reasons = [EDITED_LINES] if what == "callees" else []  # no other project can refer to it yet
    return {**answer, "receipt": overlay.receipt(overlay.local_receipt(local["receipt"]), *reasons)}


def _is_lacking(definitions: Iterable[Row], overlay: Overlay, what: str) -> bool:
    """Whether edited lines may use something of which the local index cannot know."""
    if what == "callers":
        names = {row["name"] for row in definitions if row["project"] != overlay.project}
        return overlay.lines.is_mentioned(sorted(names))
    return any(
        overlay.lines.are_edited(row["file"], row["line"], row["end_line"])
        for row in definitions
        if row.get("local")
    )


class _Page:
    """The links of a page; `edited` counts those of which the work tree may tell otherwise."""

    def __init__(
        self, overlay: Overlay, definitions: _Definitions, lines: Mapping[tuple[str, str], int]
    ) -> None:
        self.edited = 0
        self._overlay = overlay
        self._definitions = definitions
        self._lines = lines

    def of_central(self, rows: Iterable[Row]) -> list[Row]:
        return [shown for row in rows if (shown := self._shown(row)) is not None]

    def of_local(self, rows: Iterable[Row]) -> list[Row]:
        targets = self._definitions.of_local
        return [
            _told(row, targets[row["target"]], self._overlay)
            for row in rows
            if row["target"] in targets and self._is_told_locally(row)
        ]

    def _is_told_locally(self, row: Row) -> bool:
        overlay = self._overlay
        return overlay.is_own(row) and overlay.is_own(row["callee"]) and overlay.has(row["file"])

    def _shown(self, row: Row) -> Row | None:
        overlay = self._overlay
        ends = {end: self._relined(row[end]) for end in ("caller", "callee")}
        if not overlay.is_overridden(row):
            return {**row, **ends}
        is_internal = row["callee"]["project"] == overlay.project
        if is_internal and row["target"] in self._definitions.told_locally():
            return None
        line = overlay.lines.moved(row["file"], row["line"])
        if not is_internal and (line is None or not self._is_placed(row["caller"])):
            self.edited += 1
        if line is None:
            return None
        return overlay.local_row({**row, **ends, "line": line, "commit": overlay.commit})

    def _is_placed(self, end: Row) -> bool:
        """Whether the definition is where it was, and so called as it was."""
        place = (end["file"], end["qualified_name"])
        return (
            not end["qualified_name"]
            or place in self._lines
            or self._overlay.lines.moved(end["file"], end["line"]) is not None
        )

    def _relined(self, end: Row) -> Row:
        if not self._overlay.is_overridden(end):
            return end
        known = self._lines.get((end["file"], end["qualified_name"]))
        line = known or self._overlay.lines.moved(end["file"], end["line"]) or end["line"]
        return end if line == end["line"] else {**end, "line": line}


def _told(row: Row, target: int, overlay: Overlay) -> Row:
    ends = {
        end: {**row[end], "project": overlay.project} if overlay.is_own(row[end]) else row[end]
        for end in ("caller", "callee")
    }
    return overlay.local_row({**row, **ends, "target": target})


def _definitions(central: Iterable[Row], local: Iterable[Row], overlay: Overlay) -> _Definitions:
    """Central's, in their places; in changed files as the work tree has them, `gone` if it has not.

    A definition that moved to another file keeps its place in the answer.
    """
    own = {n: row for n, row in enumerate(local) if overlay.is_own(row)}
    places = {(row["file"], row["qualified_name"]): n for n, row in own.items()}
    rows = [dict(row) for row in central]
    twins: dict[int, int] = {}
    for index, row in enumerate(rows):
        same = places.get((row["file"], row["qualified_name"]))
        if row["project"] == overlay.project and same is not None:
            twins[index] = same
    for index, row in enumerate(rows):
        if index not in twins and overlay.is_overridden(row):
            moved = _elsewhere(row, own, set(twins.values()), overlay)
            if moved is not None:
                twins[index] = moved
    shown = [
        _shown_definition(row, own.get(twins.get(n, -1)), overlay) for n, row in enumerate(rows)
    ]
    of_local = {one: index for index, one in twins.items()}
    for n, row in own.items():
        if n not in of_local and overlay.has(row["file"]):
            of_local[n] = len(shown)
            shown.append(overlay.local_row(row))
    return _Definitions(shown, of_local)


def _elsewhere(row: Row, own: Mapping[int, Row], taken: set[int], overlay: Overlay) -> int | None:
    wanted = (row["qualified_name"], row["kind"])
    return next(
        (
            n
            for n, one in own.items()
            if n not in taken
            and overlay.has(one["file"])
            and (one["qualified_name"], one["kind"]) == wanted
        ),
        None,
    )


def _shown_definition(row: Row, twin: Row | None, overlay: Overlay) -> Row:
    if not overlay.is_overridden(row):
        return row
    return {**row, "gone": True} if twin is None else overlay.local_row(twin)


def _lines(definitions: Iterable[Row], rows: Iterable[Row], overlay: Overlay) -> dict[Any, int]:
    """Where the definitions of changed files begin, as far as the local answer tells."""
    ends = [row[end] for row in rows for end in ("caller", "callee") if overlay.is_own(row[end])]
    ends += [row for row in definitions if row.get("local")]
    return {(end["file"], end["qualified_name"]): end["line"] for end in ends}


def _place(row: Row) -> tuple[Any, ...]:
    """As central orders them."""
    return row["project"], row["file"], row["line"], row["column"], row["depth"], row["target"]
