"""Examples on the start page, of symbols that the reader sees: the same ones while the index is."""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlencode

from central.corpus.models import File, Symbol
from central.db import fetch_rows, id_array, sql_with
from central.query.filters import FilterName, Match
from central.query.syntax import Filter
from central.search.query import Mode, name_parts
from indexer.limits import EXAMPLE_FILES, EXAMPLE_SYMBOLS

_NAME: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
_BEGINNING: Final = re.compile(r"_*[A-Za-z][a-z]+")
_TEST: Final = re.compile(
    r"(^|[/._-])(tests?|specs?|examples?|docs?|vendor)([/._-]|$)", re.IGNORECASE
)
_FUNCTION, _CLASS, _METHOD = "function", "class", "method"
_LONG: Final = 40  # characters, of a name that does not help as an example
# Some files of each repository, by its index of paths, and some symbols of each, by theirs.
_SOME = sql_with(file=File, symbol=Symbol)("""SELECT one.place, f.path, f.language, s.name,
        s.qualified_name, s.kind
    FROM unnest(%s::bigint[]) WITH ORDINALITY AS one (id, place)
    CROSS JOIN LATERAL (SELECT id, path, language, skipped, generated FROM {file}
        WHERE repository_id = one.id AND path >= '0' ORDER BY path LIMIT %s) AS f
    CROSS JOIN LATERAL (SELECT name, qualified_name, kind, exported FROM {symbol}
        WHERE file_id = f.id ORDER BY qualified_name LIMIT %s) AS s
    WHERE f.skipped = '' AND f.generated = '' AND s.exported
        AND s.kind IN ('function', 'class', 'method')
    ORDER BY one.place, f.path, s.qualified_name""")


class Example(NamedTuple):
    """A kind of search, and searches of that kind with their addresses on the search page."""

    what: str
    searches: list[tuple[str, str]]


class _Shown(NamedTuple):
    project: str
    path: str
    language: str
    name: str
    qualified_name: str
    kind: str


def example_searches(repositories: Sequence[tuple[int, str]]) -> list[Example]:
    """Return examples of symbols of these repositories, (id, name); none without symbols."""
    names = [name for _, name in repositories]
    ids = id_array(key for key, _ in repositories)
    rows = fetch_rows(_SOME, [ids, EXAMPLE_FILES, EXAMPLE_SYMBOLS])
    found = [_Shown(names[place - 1], *row) for place, *row in rows]
    usable = [one for one in found if _is_usable(one)]
    if not usable:
        return []
    chosen = {kind: _first(usable, kind) for kind in (_FUNCTION, _CLASS, _METHOD)}
    one = chosen[_FUNCTION] or chosen[_METHOD] or chosen[_CLASS] or usable[0]
    other = chosen[_CLASS] or one
    member = chosen[_METHOD]
    words = " ".join(name_parts(other.name))
    filters = [
        Filter(FilterName.LANG, one.language, Match.EXACT),
        Filter(FilterName.REPO, one.project),
    ]
    filtered = [*map(str, filters), *name_parts(one.name)]
    beginning = _BEGINNING.match(other.name)
    named = [one.name, *([member.qualified_name] if member else [])]
    return [
        Example("A name", [_search(name) for name in named]),
        Example("A question", [_search(f"where is the {words} used")]),
        Example("Text as it stands, in quotes", [_search(f'"{one.name}("')]),
        Example(
            "A regular expression, in slashes",
            [_search(rf"/{beginning[0] if beginning else one.name}\w+/")],
        ),
        Example("Filters in the text", [_search(" ".join(filtered))]),
        Example("Part of a symbol's name", [_search(name_parts(one.name)[0], Mode.SYMBOL)]),
    ]


def _search(text: str, mode: Mode = Mode.HYBRID) -> tuple[str, str]:
    query = {"q": text} if mode is Mode.HYBRID else {"q": text, "mode": str(mode)}
    return text, f"?{urlencode(query)}"


def _is_usable(one: _Shown) -> bool:
    return bool(
        one.language
        and len(one.qualified_name) <= _LONG
        and _NAME.fullmatch(one.qualified_name)
        and not one.name.startswith("__")
        and name_parts(one.name)
        and not _TEST.search(one.path)
    )


def _first(found: Iterable[_Shown], kind: str) -> _Shown | None:
    """Return the first symbol of a kind, if possible one whose name has several words."""
    of_kind = [one for one in found if one.kind == kind]
    return next(
        (one for one in of_kind if len(name_parts(one.name)) > 1), next(iter(of_kind), None)
    )
