"""How long both take for the same queries, one after the other, in one run."""

import http.client
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

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
    """Ask both for a page of ten, in turn; what was asked before is in the caches of both."""
    times = Times()
    connection = http.client.HTTPConnection(address)
    options = {"MaxDocDisplayCount": PAGE}
    for _ in range(LAPS):
        for query in queries:
            ours, theirs = query.for_service(), query.for_zoekt()
            times.service.append(_milliseconds(lambda text=ours: client.ask_page(text)))
            times.zoekt.append(
                _milliseconds(lambda text=theirs: answer_of(connection, text, options))
            )
    for pattern in structural:
        times.structural.append(
            _milliseconds(lambda text=pattern: client.ask_page(text, mode="structural"))
        )
    connection.close()
    return times


def _milliseconds(ask: Callable[[], object]) -> float:
    started = time.perf_counter()
    ask()
    return 1000 * (time.perf_counter() - started)
