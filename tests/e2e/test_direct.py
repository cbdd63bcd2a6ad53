"""Direct uploads, whole: the indexer writes its vectors to Qdrant, central reads them back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.exits import Exit
from scripts.local_service import Organization, Service, running_service
from tests.e2e.conftest import MakeRepository, new_data_directory
from tests.indexer.store.qdrant_server import StandIn, running_stand_in

KEY = "the-key-of-the-tests-own-qdrant-server"
FILES = {
    "till.py": "class Till:\n    def open(self):\n        return 'drawer'\n",
    "prices.py": "def price_of(item):\n    return item.price * 2\n",
}
ALLOW = (
    "from central.tenancy.models import Organization\n"
    "Organization.objects.filter(slug='{slug}').update(direct_uploads=True)"
)


@pytest.fixture(scope="module")
def qdrant() -> Iterator[StandIn]:
    with running_stand_in(api_key=KEY) as server:
        yield server


@pytest.fixture(scope="module")
def on_qdrant(qdrant: StandIn) -> Iterator[Service]:
    environment = {"VECTOR_STORE_URL": f"{qdrant.url}?jwt=true", "QDRANT_API_KEY": KEY}
    with new_data_directory() as directory, running_service(directory, environment) as service:
        yield service


@pytest.fixture(scope="module")
def direct(on_qdrant: Service) -> Organization:
    """An organisation that allows them."""
    organization = Organization(on_qdrant, "direct", on_qdrant.create_organization("direct"))
    on_qdrant.manage("shell", "-c", ALLOW.format(slug="direct"))
    return organization


def uploaded(qdrant: StandIn) -> int:
    """Points that were sent until now, by whomever."""
    return sum(len(request.points) for name, request in qdrant.requests if name == "Upsert")


@pytest.mark.parametrize(
    ("project", "environment"),
    [
        ("token", {"AETERNA_VECTORS": "direct"}),
        ("secret", {"AETERNA_VECTORS": "direct", "QDRANT_API_KEY": KEY}),
    ],
)
def test_what_an_indexer_writes_itself_is_found_and_used_again(
    direct: Organization,
    qdrant: StandIn,
    make_repository: MakeRepository,
    project: str,
    environment: dict[str, str],
) -> None:
    shop = make_repository(project, FILES)
    before = uploaded(qdrant)
    first = direct.index(shop, project, environment=environment)
    assert uploaded(qdrant) - before == first["chunks"] > 0
    dump = direct.dump(project)
    hits = direct.search("price of an item", mode="semantic", include_projects=[project])
    assert hits["results"][0]["file"] == "prices.py"

    again = direct.index(shop, project, "--mode", "force", environment=environment)
    assert (again["embedded"], again["reused"]) == (0, first["chunks"])
    assert uploaded(qdrant) - before == 2 * first["chunks"]
    relayed = direct.index(shop, project, "--mode", "force")
    assert relayed["embedded"] == 0
    assert direct.dump(project).splitlines()[1:] == dump.splitlines()[1:]


def test_an_address_of_ones_own_is_written_to(
    direct: Organization, qdrant: StandIn, make_repository: MakeRepository
) -> None:
    shop = make_repository("shop", FILES)
    here = {"QDRANT_URL": qdrant.url, "QDRANT_API_KEY": KEY}
    assert direct.index(shop, "here", environment=here)["chunks"] > 0
    failed = direct.try_index(shop, "far", environment=here | {"QDRANT_URL": "qdrant://u:p@x"})
    assert failed.returncode == Exit.USAGE
    assert "p@x" not in failed.stderr


def test_an_organisation_that_does_not_allow_them_says_what_to_change(
    on_qdrant: Service, make_repository: MakeRepository
) -> None:
    relay = Organization(on_qdrant, "relay", on_qdrant.create_organization("relay"))
    shop: Path = make_repository("shop", FILES)
    refused = relay.try_index(shop, "shop", environment={"AETERNA_VECTORS": "direct"})
    assert refused.returncode == Exit.REFUSED
    assert "direct_uploads" in refused.stderr
    assert "AETERNA_VECTORS=relay" in refused.stderr
