"""Searches and callers of the default branch, with and without branches, in turns."""

import statistics
from collections.abc import Callable, Iterator, Sequence

from benchmarks.branches.clones import Clone
from benchmarks.branches.storage import stored_bytes
from benchmarks.client import Client
from benchmarks.tables import Figure
from scripts.local_service import Organization

LAPS = 40
_LAPS_ON_BRANCHES = 5
_RANKED = (
    "parse command line options and their default values",
    "serialize an object to json",
    "send a redirect response with a status code",
    "read the body of a multipart request",
    "retry when the connection is reset",
    "how are cookies stored in a session",
)
_EXACT = (
    '"def invoke"',
    '"prepare_request"',
    r"/\bTypeAdapter<\w+>/",
    '"Rack::Utils"',
    '"res.send("',
)
_SYMBOLS = (
    ("click", "invoke"),
    ("gson", "fromJson"),
    ("requests", "request"),
    ("rack", "parse_nested_query"),
    ("express", "send"),
    ("click", "echo"),
)


def beside(acme: Organization, without: Organization, clones: Sequence[Clone]) -> Iterator[Figure]:
    """Yield p50 of each kind of request for both, asked in pairs, whose order changes each lap."""
    for organization in (acme, without):
        stored_bytes(organization.service)  # both are vacuumed
    clients = {"with": Client(acme), "off": Client(without)}
    names = {clone.name for clone in clones}
    symbols = [symbol for symbol in _SYMBOLS if symbol[0] in names]
    kinds: dict[str, list[Callable[[Client], float]]] = {
        "ranked search": [_search(query) for query in _RANKED],
        "exact search": [_search(query) for query in _EXACT],
        "callers": [_callers(project, name) for project, name in symbols],
    }
    for kind, requests in kinds.items():
        samples: dict[str, list[float]] = {"with": [], "off": []}
        for lap in range(-2, LAPS):
            for ask in requests:
                for side in sorted(clients, reverse=bool(lap % 2)):
                    taken = ask(clients[side])
                    if lap >= 0:
                        samples[side].append(taken)
        p50 = {side: statistics.median(taken) for side, taken in samples.items()}
        yield Figure(f"{kind} p50, without branches", p50["off"], "ms")
        yield Figure("… with branches", p50["with"], "ms")
        pairs = zip(samples["with"], samples["off"], strict=True)
        slower = statistics.median(other / mine for other, mine in pairs) - 1
        yield Figure("… median of the pairs", 100 * slower, "% slower", 3)


def on_branches(acme: Organization, clones: Sequence[Clone]) -> Iterator[Figure]:
    """Yield p50 of the same requests about the oldest release branch of each repository."""
    client = Client(acme)
    branches = {clone.name: clone.branches[0] for clone in clones}
    searches = [f"rev:{branch} {query}" for branch in branches.values() for query in _RANKED]
    samples = [client.search(query) for query in searches * _LAPS_ON_BRANCHES]
    yield Figure("ranked search p50, on a branch", statistics.median(samples), "ms")
    symbols = [symbol for symbol in _SYMBOLS if symbol[0] in branches]
    samples = [
        client.trace("callers", project=project, symbol=name, ref=branches[project])
        for project, name in symbols * _LAPS_ON_BRANCHES
        if client.finds(
            "/api/v1/trace/callers",
            {"project": project, "symbol": name, "ref": branches[project], "limit": 1},
        )
    ]
    yield Figure("callers p50, on a branch", statistics.median(samples), "ms")


def _search(query: str) -> Callable[[Client], float]:
    return lambda client: client.search(query)


def _callers(project: str, name: str) -> Callable[[Client], float]:
    return lambda client: client.trace("callers", project=project, symbol=name)
