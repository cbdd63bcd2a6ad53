"""An exact search ends at its time, also within one file."""

from types import SimpleNamespace
from typing import Any

import pytest

from central.search.exact import hits
from central.search.exact.limited import find_matches
from central.search.line_search import EXACT_SECONDS
from central.tenancy.models import Organization
from tests.central.search.conftest import Search
from tests.central.search.corpus import index_repository

TERMS = " OR ".join(f'"needle{number:03}"' for number in range(90))


class Clock:
    """A clock that only slow terms move."""

    def __init__(self) -> None:
        self.now = 0.0
        self.looked = 0

    def monotonic(self) -> float:
        return self.now

    def find_matches(self, *args: Any, **options: Any) -> Any:
        """Find as ever, and take a second of the clock."""
        self.now += 1.0
        self.looked += 1
        return find_matches(*args, **options)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(hits, "time", SimpleNamespace(monotonic=clock.monotonic))
    monkeypatch.setattr(hits, "find_matches", clock.find_matches)
    return clock


@pytest.fixture
def slow(acme: Organization) -> None:
    files = {f"{name}.txt": "needle000 needle089\n" for name in "abc"}
    index_repository(acme, "slow", files)


@pytest.mark.usefixtures("slow")
def test_many_slow_terms_of_one_file_end_with_the_time_of_the_page(
    find: Search, clock: Clock
) -> None:
    answer = find(f"repo:slow ({TERMS})")
    assert clock.looked <= EXACT_SECONDS + 1
    assert [(one.project, one.reason) for one in answer.receipt.missing] == [("slow", "timeout")]


@pytest.mark.usefixtures("slow")
def test_a_file_that_takes_the_time_of_a_whole_page_is_left_out_by_the_next_one(
    find: Search, clock: Clock
) -> None:
    answer, pages = find(f"repo:slow ({TERMS})"), 1
    while answer.next_cursor:
        answer, pages = find(f"repo:slow ({TERMS})", cursor=answer.next_cursor), pages + 1
        assert pages <= 4
    assert pages > 1
