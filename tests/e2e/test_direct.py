"""Direct uploads, whole: the indexer writes its vectors to Qdrant, central reads them back."""

import pytest

from indexer.errors import ConfigurationError
from indexer.exits import Exit
from scripts.local_service import Organization
from tests.e2e.conftest import MakeRepository, OnQdrant
from tests.e2e.indexing import index_here
from tests.indexer.store.qdrant.server import StandIn

FILES = {
    "till.py": "class Till:\n    def open(self):\n        return 'drawer'\n",
    "prices.py": "def price_of(item):\n    return item.price * 2\n",
}


@pytest.fixture(scope="module")
def direct(on_qdrant: OnQdrant) -> Organization:
    """An organisation that allows them."""
    organization = on_qdrant.service.organization("direct")
    on_qdrant.service.manage("direct_uploads", "--organization", "direct", "on")
    return organization


def uploaded(qdrant: StandIn) -> int:
    """Points that were sent until now, by whomever."""
    return sum(len(request.points) for name, request in qdrant.requests if name == "Upsert")


@pytest.mark.parametrize("has_secret", [False, True], ids=["token", "secret"])
def test_what_an_indexer_writes_itself_is_found_and_used_again(
    direct: Organization, on_qdrant: OnQdrant, make_repository: MakeRepository, has_secret: bool
) -> None:
    project = "secret" if has_secret else "token"
    environment = {"AETERNA_VECTORS": "direct"}
    if has_secret:
        environment |= {"QDRANT_URL": on_qdrant.qdrant.url, "QDRANT_API_KEY": on_qdrant.key}
    shop = make_repository(project, FILES)
    before = uploaded(on_qdrant.qdrant)
    first = index_here(direct, shop, project, **environment)
    assert uploaded(on_qdrant.qdrant) - before == first["chunks"] > 0
    dump = direct.dump(project)
    hits = direct.search("price of an item", mode="semantic", include_projects=[project])
    assert hits["results"][0]["file"] == "prices.py"

    again = index_here(direct, shop, project, "force", **environment)
    assert (again["embedded"], again["reused"]) == (0, first["chunks"])
    assert uploaded(on_qdrant.qdrant) - before == 2 * first["chunks"]
    relayed = index_here(direct, shop, project, "force")
    assert relayed["embedded"] == 0
    assert direct.dump(project).splitlines()[1:] == dump.splitlines()[1:]


def test_an_address_of_ones_own_is_written_to(
    direct: Organization, on_qdrant: OnQdrant, make_repository: MakeRepository
) -> None:
    shop = make_repository("shop", FILES)
    here = {"QDRANT_URL": on_qdrant.qdrant.url, "QDRANT_API_KEY": on_qdrant.key}
    assert direct.index(shop, "here", environment=here)["chunks"] > 0
    with pytest.raises(ConfigurationError) as caught:
        index_here(direct, shop, "far", **here | {"QDRANT_URL": "qdrant://u:p@x"})
    assert "p@x" not in str(caught.value)


def test_an_organisation_that_does_not_allow_them_says_what_to_change(
    on_qdrant: OnQdrant, make_repository: MakeRepository
) -> None:
    relay = on_qdrant.service.organization("relay")
    shop = make_repository("shop", FILES)
    store = {"QDRANT_URL": on_qdrant.qdrant.url, "QDRANT_API_KEY": on_qdrant.key}
    relayed = relay.index(shop, "shop", environment=store)
    assert relayed["vectors"] == "direct_refused"
    (status,) = relay.get("index/status")["projects"]
    assert (status["vectors"], status["chunks"]) == ("direct_refused", relayed["chunks"])
    assert relay.search("price of an item", mode="semantic")["results"]

    refused = relay.try_index(shop, "shop", environment={"AETERNA_VECTORS": "direct", **store})
    assert refused.returncode == Exit.REFUSED
    assert "direct_uploads" in refused.stderr
    assert "AETERNA_VECTORS=relay" in refused.stderr
