"""Public definitions without a caller in any visible repository, and the doubts about each."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from aeterna_code_search.contract.codemap import CODES, LEFT_OUT, UnusedRequest
from central.codemap.answers import Unused, UnusedDefinition
from central.codemap.currency import Beside, beside_stored, map_receipt
from central.codemap.doubts import doubts_of
from central.codemap.reached import ReferenceTargets, imported, unreached
from central.corpus.models import File, Module, Package, Symbol
from central.db import fetch_rows, sql_with
from central.http.cursors import decode_cursor, encode_cursor
from central.http.parameters import to_json
from central.search.ranking.rules import path_traits
from central.tenancy.credentials import Credential
from central.trace.edges import class_of
from central.trace.links import shown_definition
from central.trace.receipts import LAST_PAGE
from central.trace.request_scope import TraceScope, traced
from central.trace.resolve.definitions import COLUMNS, JOINED, Definition

UNUSED_DEFINITIONS: Final = 1_000  # at which a page looks
UNUSED_TEXTS: Final = 20_000  # names that a page looks up in the text of a repository
_PORTION: Final = 200
_SALT: Final = "central.codemap.unused"
_MORE: Final = "None of the definitions that this page has looked at; next_cursor goes on."
_NONE: Final = (
    "Something visible leads to each of the definitions that were looked at. Tests, examples and "
    "other code are left out unless include names them, and doubts leaves those with other doubts "
    "out."
)
_NOTHING: Final = (
    "There is no public definition of these kinds in what this credential sees; "
    "/api/v1/index/status says what is indexed."
)
_sql = sql_with(
    columns=COLUMNS, joined=JOINED, symbol=Symbol, file=File, package=Package, module=Module
)
# The first of several definitions of a name in a file stands for all, the name of a type of C for
# the tag in it: `typedef struct tag { … } name`.
_NEXT: Final = _sql("""SELECT {columns} {joined}
    WHERE f.repository_id = %s::bigint AND s.exported AND s.kind = ANY(%s::text[])
        AND f.path >= %s::text
        AND (f.path, s.start_line, s.qualified_name) > (%s::text, %s::int, %s::text)
        AND NOT EXISTS (SELECT FROM {symbol} o WHERE o.file_id = s.file_id
            AND o.qualified_name = s.qualified_name AND (o.start_line, o.id) < (s.start_line, s.id))
        AND NOT EXISTS (SELECT FROM {symbol} o WHERE o.file_id = s.file_id AND o.kind = 'type'
            AND o.qualified_name = left(s.qualified_name, -1 - length(s.name))
            AND o.start_line = s.start_line)
    ORDER BY f.path, s.start_line, s.qualified_name LIMIT %s""")


class _Place(NamedTuple):
    """Where a page goes on: behind this definition."""

    project: str = ""
    path: str = ""
    line: int = 0
    name: str = ""


def unused(*, credential: Credential, request: UnusedRequest) -> Unused:
    """Return a page of the definitions, in order of project, file and line.

    Raises NotFoundError for an unknown project, InvalidError for the cursor of another request, and
    UnavailableError while edges are behind.
    """
    with traced(credential, "unused", request.project) as scope:
        if request.project:
            scope.named(request.project)
        fields = [request.project, request.kind, request.include, request.doubts]
        asked = [scope.organization, "unused", fields]
        position = decode_cursor(request.cursor, salt=_SALT, asked=asked)
        beside = beside_stored(credential.organization, scope)
        page = _Page(scope, beside, request)
        following = page.read(_Place(*position) if position else _Place())
        receipt = map_receipt(scope, beside)
        scope.span.set_attributes(resultCount=len(page.found))
    cursor = encode_cursor(salt=_SALT, asked=asked, position=following) if following else None
    return Unused(
        definitions=page.found,
        count=len(page.found),
        looked_at=page.looked_at,
        next_cursor=cursor,
        receipt=receipt,
        hint=None if page.found else _hint(request, page, has_more=cursor is not None),
    )


def _hint(request: UnusedRequest, page: "_Page", *, has_more: bool) -> str:
    if has_more:
        return _MORE
    if request.cursor:
        return LAST_PAGE
    return _NONE if page.looked_at else _NOTHING


class _Page:
    """Definitions that are looked at in portions, until the page is full or a limit is met."""

    def __init__(self, scope: TraceScope, beside: Beside, request: UnusedRequest) -> None:
        self.found: list[UnusedDefinition] = []
        self.looked_at = 0
        self._scope = scope
        self._beside = beside
        self._request = request
        self._reached = ReferenceTargets(scope.resolver, beside)
        self._texts = 0

    def read(self, start: _Place) -> _Place | None:
        """Fill the page from behind a place; return where the next one goes on."""
        read = 0
        portions = self._portions(start)
        portion = next(portions, None)
        while portion:
            read += len(portion)
            last = self._look_at(portion)
            following = next(portions, None)
            if last or (following and self._ends(read)):
                return self._place(last or portion[-1])
            portion = following
        return None

    def _ends(self, read: int) -> bool:
        is_full = len(self.found) >= self._request.limit
        return is_full or read >= UNUSED_DEFINITIONS or self._texts >= UNUSED_TEXTS

    def _portions(self, start: _Place) -> Iterator[Sequence[Definition]]:
        for repository in sorted(
            self._scope.repositories.values(), key=lambda repository: repository.name
        ):
            is_asked = self._request.project in {"", repository.name}
            if not is_asked or repository.name < start.project:
                continue
            place = start if repository.name == start.project else _Place()
            kinds = list(self._request.kind)
            while rows := fetch_rows(
                _NEXT, [repository.id, kinds, place.path, *place[1:], _PORTION]
            ):
                portion = [Definition(*row) for row in rows]
                yield portion
                place = self._place(portion[-1])

    def _place(self, definition: Definition) -> _Place:
        project = self._scope.repositories[definition.repository].name
        return _Place(project, definition.path, definition.start_line, definition.qualified_name)

    def _look_at(self, portion: Sequence[Definition]) -> Definition | None:
        """Add what is unused; return the last definition that has room, if there are more."""
        asked = [definition for definition in portion if self._is_asked(definition)]
        candidates = unreached(self._scope.resolver, self._reached, asked)
        imports = imported(self._scope.resolver, candidates)
        candidates = [candidate for candidate in candidates if candidate.key not in imports.used]
        room = self._request.limit - len(self.found)
        if len(self._request.doubts) == len(CODES):
            candidates = candidates[: room + 1]
        self._texts += len(candidates) * len(self._scope.repositories)
        allowed = self._request.doubts
        doubts = doubts_of(self._scope, self._beside, candidates, imports, allowed=allowed)
        shown = [
            candidate
            for candidate in candidates
            if {each.code for each in doubts[candidate.id]} <= {*allowed}
        ]
        self.found += [
            UnusedDefinition(
                **to_json(
                    shown_definition(definition, self._scope.repositories[definition.repository])
                ),
                doubts=doubts[definition.id],
            )
            for definition in shown[:room]
        ]
        last = shown[room - 1] if len(shown) > room else None
        self.looked_at += asked.index(last) + 1 if last else len(asked)
        return last

    def _is_asked(self, definition: Definition) -> bool:
        """What makes an instance of a class is used as the class is."""
        kinds = path_traits(definition.path).kinds | (
            {"generated"} if definition.generated else set()
        )
        return class_of(definition) is None and not (
            kinds & (set(LEFT_OUT) - set(self._request.include))
        )
