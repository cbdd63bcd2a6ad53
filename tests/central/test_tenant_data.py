"""What no route shows crosses organisations as little: a file, lent vectors, a webhook's change.

What each route answers is tested in `isolation`.
"""

from pathlib import Path

import duckdb
import pytest
from pytest_django import Settings

from central.corpus.models import Embedding
from central.github.signatures import organization_secret
from central.repositories.models import Repository
from central.tenancy.models import Organization
from tests.central.factories import RepositoryFactory
from tests.central.github import payloads
from tests.central.knowledge.graph import created, graph, linked
from tests.central.protocol import Api, api_of, file_record
from tests.central.refusals import assert_problem

pytestmark = pytest.mark.django_db

FILES = {"secret_recipe.py": "def secret_recipe salt\n"}


def add_secrets(api: Api) -> None:
    """A file, and documents about it."""
    api.index(FILES)
    created(api, kind="knowledge", id="ADR-7", title="Take salt of the sea", body="No other salt.")
    created(api, kind="memory", id="mem-7", title="The salt is of the sea", project="shop")
    linked(api, "code:shop/secret_recipe.py#f1", "implements", "ADR-7")
    linked(api, "mem-7", "derived_from", "code:shop/secret_recipe.py")


@pytest.mark.django_db(transaction=True)
def test_the_graph_s_file_holds_the_organisation_s_own_alone(
    settings: Settings, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    add_secrets(api_of())
    stranger = api_of(Organization.objects.create(slug="globex"))
    created(stranger, kind="memory", id="mem-1", title="Ours")
    file = tmp_path / "theirs.duckdb"
    file.write_bytes(graph(stranger, "GET", "snapshot").getvalue())
    with duckdb.connect(str(file), read_only=True) as database:
        assert database.execute("SELECT id FROM nodes").fetchall() == [("mem-1",)]
        assert database.execute("SELECT count(*) FROM edges").fetchone() == (0,)


def test_vectors_are_lent_as_far_as_the_caller_sees() -> None:
    """A run that another token opened tells a limited one nothing of further repositories."""
    wide = api_of()
    wide.index(FILES)
    run = wide.open("b").json()
    digest = bytes(Embedding.objects.get().digest).hex()
    limited = api_of(wide.organization, repositories=["b"])
    url = f"/api/v1/index/runs/{run['run_id']}/embeddings"
    assert limited.request("POST", url, {"digests": [digest]}).json() == {"known": []}
    ((path, content),) = FILES.items()
    bare = file_record(path, content, has_vectors=False)
    assert limited.put_batch(run, 1, [bare]).json()["code"] == "embedding_unknown"
    assert wide.request("POST", url, {"digests": [digest]}).json() == {"known": [digest]}
    assert wide.put_batch(run, 1, [bare]).status_code == 204


def test_another_organisation_s_webhook_changes_nothing() -> None:
    """Whatever owner it claims: the signature is of one organisation, and so are its rows."""
    acme = api_of().organization
    Organization.objects.filter(pk=acme.pk).update(github_owner_id=payloads.OWNER_ID)
    RepositoryFactory.create(organization=acme, name="shop", forge_key=payloads.REPOSITORY_ID)
    globex = Organization.objects.create(slug="globex", github_owner_id=5)
    github = payloads.GitHub(organization_secret(globex), "globex")
    own = payloads.repository(owner=payloads.owner(5))
    before = list(Repository.objects.values())
    for payload in (payloads.on_repository("deleted"), payloads.renamed("taken")):
        assert_problem(github.send("repository", payload), 403, "owner_mismatch")
        outcome = github.told("repository", payload | {"repository": own})
        assert outcome == "ignored: no repository here has this id"
    assert list(Repository.objects.values()) == before
