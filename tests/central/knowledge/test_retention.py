"""The graph goes with its repository, and into the organisation's export."""

import io
import json
import tarfile
from datetime import timedelta

import pytest
from django.utils import timezone

from central.knowledge.models import Document, Edge, Mention, Node
from central.maintenance.organization_export import export_organization
from central.maintenance.repository_deletion import purge_repository
from central.repositories.models import Repository
from central.repositories.services import retire_repository
from tests.central.knowledge.checkout import index_files
from tests.central.knowledge.graph import ADR, created, linked
from tests.central.knowledge.test_policies import NO_PANIC, PANICS
from tests.central.knowledge.test_records import FILES
from tests.central.protocol import Api, api_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> Api:
    api = api_of()
    index_files(api, FILES | {"src/main.rs": PANICS})
    index_files(api, {"src/main.rs": PANICS}, project="billing")
    created(api, **ADR)
    created(api, **NO_PANIC, project="shop")
    linked(api, "code:shop/src/main.rs", "implements", "ADR-042")
    linked(api, "code:billing/src/main.rs", "migrated_to", "code:shop/src/main.rs")
    linked(api, "code:billing/src/main.rs", "mentions", "ADR-042")
    return api


@pytest.mark.usefixtures("api")
def test_a_purged_repository_takes_its_nodes_and_edges_along() -> None:
    shop = Repository.objects.get(name="shop")
    retire_repository(shop)
    Repository.objects.filter(pk=shop.pk).update(retired_at=timezone.now() - timedelta(days=1))
    purge_repository(repository_id=shop.pk)
    assert not Repository.objects.filter(pk=shop.pk).exists()
    assert list(Edge.objects.values_list("type", flat=True)) == ["mentions"]
    assert not Mention.objects.exists()
    assert Document.objects.get().public_id == "ADR-042"
    assert not Node.objects.filter(repository=shop.pk).exists()


def test_an_export_holds_the_graph_without_vectors(api: Api) -> None:
    output = io.BytesIO()
    export_organization(api.organization, output)
    output.seek(0)
    with tarfile.open(fileobj=output, mode="r:gz") as archive:
        texts = {
            member.name: archive.extractfile(member).read().decode()  # type: ignore[union-attr]
            for member in archive
            if member.name.startswith("graph/")
        }
    documents = [json.loads(line) for line in texts["graph/documents.ndjson"].splitlines()]
    assert {one["public_id"] for one in documents} == {"ADR-042", "ADR-0042", "POL-1"}
    assert all("vector" not in one for one in documents)
    assert '"mentions"' in texts["graph/edges.ndjson"]
