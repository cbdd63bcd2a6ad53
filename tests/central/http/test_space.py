"""Bodies that a process holds: bounded, and nobody takes the space of all others."""

import asyncio
import io
from collections.abc import MutableMapping
from contextlib import ExitStack
from typing import Any

import pytest

from central.errors import InvalidError, UnavailableError
from central.http import bodies
from central.http.space import BODIES_BYTES, BODY_FREE_BYTES, BodySpace
from central.http.turns import Caller

ACME, ZENITH = Caller("organization 1"), Caller("organization 2")
HALF = BODIES_BYTES // 2


def test_one_sender_has_half_of_the_space_and_gives_it_back() -> None:
    space = BodySpace()
    with space.of(ACME) as first, space.of(ACME) as second, space.of(ZENITH) as other:
        first(BODY_FREE_BYTES + HALF)
        with pytest.raises(UnavailableError) as caught:
            second(BODY_FREE_BYTES + 1)
        assert caught.value.code == "too_busy"
        other(BODY_FREE_BYTES + HALF)
        with space.of(Caller("organization 3")) as third, pytest.raises(UnavailableError):
            third(BODY_FREE_BYTES + 1)
    with space.of(ACME) as first:
        first(BODY_FREE_BYTES + HALF)


def test_who_is_not_known_shares_with_all_who_are_not() -> None:
    space = BodySpace()
    with (
        space.of(Caller("address 10.0.0.1")) as one,
        space.of(Caller("address 10.0.0.2")) as another,
        space.of(ACME) as known,
    ):
        one(BODY_FREE_BYTES + HALF)
        with pytest.raises(UnavailableError):
            another(BODY_FREE_BYTES + 1)
        known(BODY_FREE_BYTES + HALF)


def test_small_bodies_are_received_whatever_others_hold() -> None:
    space = BodySpace()
    with space.of(ACME) as first, ExitStack() as rest:
        first(BODY_FREE_BYTES + BODIES_BYTES)  # one body may be as large as all
        for number in range(100):
            webhook = rest.enter_context(space.of(Caller(f"address 10.0.0.{number}")))
            webhook(BODY_FREE_BYTES // 2)
            webhook(BODY_FREE_BYTES // 2)


def test_a_body_that_does_not_end_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "BODY_SECONDS", 0)

    async def never() -> MutableMapping[str, Any]:
        await asyncio.get_running_loop().create_future()
        raise AssertionError

    with pytest.raises(InvalidError, match="within 0 seconds"):
        asyncio.run(bodies.read_asgi_body(never, io.BytesIO(), 10, lambda _: None))
