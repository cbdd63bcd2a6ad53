from benchmarks.callers.bulk import Verdict, judged
from benchmarks.callers.query import Bound, Edge
from tests.benchmarks.callers.tiny import TRUTH

LIB_OPEN = ("lib", "lib/store.py", "open")
CACHE_GET = ("lib", "lib/cache.py", "Cache.get")


def said(line: int, bound: Bound) -> list[Verdict]:
    edge = Edge(("app", "app/main.py", line), bound, "import", "high")
    return [verdict for _, verdict in judged(TRUTH, [edge])]


def test_an_edge_is_right_where_the_tool_says_the_same() -> None:
    assert said(7, LIB_OPEN) == [Verdict.RIGHT]
    assert said(8, LIB_OPEN) == [Verdict.FALSE]


def test_an_override_is_right_where_the_base_is_called_and_a_variable_for_what_it_holds() -> None:
    assert said(6, CACHE_GET) == [Verdict.RIGHT]
    assert said(13, LIB_OPEN) == [Verdict.RIGHT]


def test_nothing_is_said_of_what_the_tool_does_not_know() -> None:
    assert said(12, CACHE_GET) == [Verdict.UNKNOWN]
    assert said(99, LIB_OPEN) == [Verdict.UNKNOWN]  # no such site: a constructor by its class
    assert said(7, ("lib", "lib/other.py", "open")) == []
