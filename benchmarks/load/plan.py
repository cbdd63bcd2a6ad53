"""What each client asks, in which order: drawn from a seed, so that a run can be repeated."""

import itertools
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final
from urllib.parse import quote, urlencode

from benchmarks.load.corpus import Tenant
from benchmarks.searching import QUERIES


class Kind(StrEnum):
    """What is asked for, as the tables name it."""

    SEARCH = "search"
    EXACT = "exact search"
    CALLERS = "callers"
    CALLEES = "callees"
    GRAPH = "graph"
    STATUS = "status"
    PAGE = "page"
    RUN = "run"  # four requests: see Push


# Of 100 requests. Some ask for a name that many files define and use.
MIX: Final[Mapping[Kind, int]] = {
    Kind.SEARCH: 36,
    Kind.EXACT: 10,
    Kind.CALLERS: 12,
    Kind.CALLEES: 8,
    Kind.GRAPH: 8,
    Kind.STATUS: 8,
    Kind.PAGE: 14,
    Kind.RUN: 4,
}
POPULAR_SHARE: Final = 0.1
EXACT: Final = (
    '"raise ValueError"',
    '"from collections import"',
    r"/def \w+_async/",
    '"threading.Lock"',
    r"/except \(\w+, \w+\)/",
    '"isinstance(value, str)"',
)


@dataclass(frozen=True)
class Request:
    """One request."""

    kind: Kind
    method: str
    path: str
    body: str | None = None


@dataclass(frozen=True)
class Push:
    """A new commit of a project, which the client indexes: Open, tree, batch and webhook."""

    project: str
    number: int
    kind: ClassVar[Kind] = Kind.RUN


def requests_of(tenant: Tenant, seed: int, client: int) -> Iterator[Request | Push]:
    """Yield the requests of one client without end; the same ones for the same seed."""
    chance = random.Random(f"{seed} {tenant.slug} {client}")  # noqa: S311
    kinds, weights = list(MIX), list(MIX.values())
    for number in itertools.count():
        (kind,) = chance.choices(kinds, weights)
        if kind is Kind.RUN:
            yield Push(f"load-{client}", number)
        else:
            yield _request(tenant, kind, chance)


def _request(tenant: Tenant, kind: Kind, chance: random.Random) -> Request:
    if kind in {Kind.SEARCH, Kind.EXACT}:
        query = chance.choice(QUERIES if kind is Kind.SEARCH else EXACT)
        body = json.dumps({"org_id": tenant.slug, "query": query})
        return Request(kind, "POST", "/api/v1/search", body)
    if kind is Kind.STATUS:
        return Request(kind, "GET", f"/api/v1/index/status?org_id={tenant.slug}")
    if kind is Kind.PAGE:
        return Request(kind, "GET", _page(tenant, chance))
    depth = {"depth": "2"} if kind is Kind.GRAPH else {}
    return Request(kind, "GET", f"/api/v1/trace/{kind}?{_symbol_query(tenant, chance, depth)}")


def _symbol_query(tenant: Tenant, chance: random.Random, further: Mapping[str, str]) -> str:
    if chance.random() < POPULAR_SHARE:
        chosen = {"symbol": chance.choice(tenant.popular)}
    else:
        project, name = chance.choice(tenant.symbols)
        chosen = {"symbol": name, "project": project}
    return urlencode({"org_id": tenant.slug, **chosen, **further})


def _page(tenant: Tenant, chance: random.Random) -> str:
    project, path = chance.choice(tenant.files)
    _, name = chance.choice(tenant.symbols)
    pages = (
        f"?{urlencode({'q': chance.choice(QUERIES)})}",
        "repositories",
        f"r/{project}",
        f"r/{project}/file/{quote(path)}",
        f"symbol?{urlencode({'name': name})}",
    )
    return f"/o/{tenant.slug}/{chance.choice(pages)}"
