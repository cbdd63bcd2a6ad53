"""How long both take for the same queries, lap by lap, in one run."""

import http.client
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from benchmarks.exact.queries import Query
from benchmarks.exact.service import PAGE, ExactClient
from benchmarks.exact.zoekt import answer_of

LAPS = 3


@dataclass(slots=True)
class Times:
    """Milliseconds of each answer, over HTTP."""

    service: list[float] = field(default_factory=list)
    zoekt: list[float] = field(default_factory=list)
    structural: list[float] = field(default_factory=list)


def measure(
    client: ExactClient, address: str, queries: Sequence[Query], structural: Sequence[str]
) -> Times:
    """Ask both for pages of ten, lap by lap; what was asked before is in the caches of both."""
    times = Times()
    connection = http.client.HTTPConnection(address)
    options = {"MaxDocDisplayCount": PAGE}
    for _ in range(LAPS):
        client.disconnect()
        for query in queries:
            text = query.for_service()
            times.service.append(_milliseconds(partial(client.ask_page, text)))
        for query in queries:
            text = query.for_zoekt()
            times.zoekt.append(_milliseconds(partial(answer_of, connection, text, options)))
    client.disconnect()
    for pattern in structural:
        times.structural.append(_milliseconds(partial(client.ask_page, pattern, mode="structural")))
    connection.close()
    return times


def _milliseconds(ask: Callable[[], object]) -> float:
    started = time.perf_counter()
    ask()
    return 1000 * (time.perf_counter() - started)
