"""What the search page shows before there is a query: repositories, and examples from them.

The examples are of symbols that the reader sees, and the same ones while the index is.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.db.models import Case, F, When

from aeterna_code_search.contract.search import Mode
from central.corpus.models import File, Symbol
from central.db import fetch_rows, id_array, sql_with
from central.query.filters import FilterName, Match
from central.query.syntax import Filter
from central.repositories.models import Repository
from central.repositories.visibility import visible_repositories
from central.saved_searches.models import SavedSearch
from central.saved_searches.services.saved import visible_searches
from central.search.query import name_parts
from central.tenancy.credentials import Credential

START_REPOSITORIES: Final = 8  # on the start page
START_SEARCHES: Final = 10  # saved ones there
EXAMPLE_REPOSITORIES: Final = 3  # whose symbols are examples there
EXAMPLE_FILES: Final = 200  # of each, among which these are looked for
EXAMPLE_SYMBOLS: Final = 5  # of each file
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


@dataclass(frozen=True, slots=True)
class StartPage:
    """The visible repositories that were indexed last, and searches of what is in them."""

    repositories: list[Repository]
    examples: list[Example]
    searches: list[SavedSearch]


class _Symbol(NamedTuple):
    project: str
    path: str
    language: str
    name: str
    qualified_name: str
    kind: str


def start_page(credential: Credential, user: User) -> StartPage:
    """Read it in three queries."""
    indexed = visible_repositories(credential=credential).filter(generation__gt=0)
    newest = indexed.order_by(F("indexed_at").desc(nulls_last=True), "name")
    found = list(newest.only("name", "indexed_at")[:START_REPOSITORIES])
    of_examples = [(repository.pk, repository.name) for repository in found[:EXAMPLE_REPOSITORIES]]
    searches = visible_searches(credential=credential, user=user)
    own_first = searches.order_by(Case(When(owner=user, then=0), default=1), "name", "pk")
    return StartPage(
        found,
        example_searches(of_examples) if of_examples else [],
        list(own_first[:START_SEARCHES]),
    )


def example_searches(repositories: Sequence[tuple[int, str]]) -> list[Example]:
    """Return examples of symbols of these repositories, (id, name); none without symbols."""
    names = [name for _, name in repositories]
    ids = id_array(key for key, _ in repositories)
    rows = fetch_rows(_SOME, [ids, EXAMPLE_FILES, EXAMPLE_SYMBOLS])
    found = [_Symbol(names[place - 1], *row) for place, *row in rows]
    usable = list(filter(_is_usable, found))
    if not usable:
        return []
    chosen = {kind: _first(usable, kind) for kind in (_FUNCTION, _CLASS, _METHOD)}
    called = chosen[_FUNCTION] or chosen[_METHOD] or chosen[_CLASS] or usable[0]
    meant = chosen[_CLASS] or called
    member = chosen[_METHOD]
    words = " ".join(name_parts(meant.name))
    filters = [
        Filter(FilterName.LANG, called.language, Match.EXACT),
        Filter(FilterName.REPO, called.project),
    ]
    beginning = _BEGINNING.match(meant.name)
    named = [called.name, *([member.qualified_name] if member else [])]
    return [
        Example("A name", [_search(name) for name in named]),
        Example("A question", [_search(f"where is the {words} used")]),
        Example("Text as it stands, in quotes", [_search(f'"{called.name}("')]),
        Example(
            "A regular expression, in slashes",
            [_search(rf"/{beginning[0] if beginning else called.name}\w+/")],
        ),
        Example(
            "Filters in the text",
            [_search(" ".join([*map(str, filters), *name_parts(called.name)]))],
        ),
        Example("Part of a symbol's name", [_search(name_parts(called.name)[0], Mode.SYMBOL)]),
    ]


def _search(text: str, mode: Mode = Mode.HYBRID) -> tuple[str, str]:
    query = {"q": text} if mode is Mode.HYBRID else {"q": text, "mode": str(mode)}
    return text, f"?{urlencode(query)}"


def _is_usable(symbol: _Symbol) -> bool:
    return bool(
        symbol.language
        and len(symbol.qualified_name) <= _LONG
        and _NAME.fullmatch(symbol.qualified_name)
        and not symbol.name.startswith("__")
        and name_parts(symbol.name)
        and not _TEST.search(symbol.path)
    )


def _first(found: Iterable[_Symbol], kind: str) -> _Symbol | None:
    """Return the first symbol of a kind, if possible one whose name has several words."""
    of_kind = [symbol for symbol in found if symbol.kind == kind]
    return next(
        (symbol for symbol in of_kind if len(name_parts(symbol.name)) > 1),
        next(iter(of_kind), None),
    )
