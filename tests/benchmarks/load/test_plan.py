"""A seed decides what is asked, and in which order."""

from itertools import islice

from benchmarks.load.corpus import Tenant
from benchmarks.load.plan import MIX, Kind, Request, requests_of

TENANT = Tenant(
    slug="acme",
    token="aet_x",
    symbols=[["shop", "pay"], ["shop", "Order"], ["mail", "send"]],
    popular=["get"],
    files=[["shop", "src/a b.py"], ["mail", "send.py"]],
)


def asked(seed: int, client: int, count: int = 1_000) -> list[Request]:
    return list(islice(requests_of(TENANT, seed, client), count))


def test_the_same_seed_asks_the_same_in_the_same_order() -> None:
    assert asked(7, 0) == asked(7, 0)
    assert asked(7, 0) != asked(8, 0)
    assert asked(7, 0) != asked(7, 1)


def test_every_kind_is_asked_about_as_often_as_the_mix_says() -> None:
    kinds = [request.kind for request in asked(7, 0, 10_000)]
    assert sum(MIX.values()) == 100
    for kind in Kind:
        assert 0.8 * MIX[kind] < kinds.count(kind) / 100 < 1.2 * MIX[kind], kind


def test_addresses_are_quoted() -> None:
    pages = {request.path for request in asked(7, 0) if request.kind is Kind.PAGE}
    assert "/o/acme/r/shop/file/src/a%20b.py" in pages
    assert not any(" " in page for page in pages)
