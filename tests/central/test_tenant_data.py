"""What is lent or given out as a file is the organisation's own, as far as the caller sees."""

from pathlib import Path

import duckdb
import pytest
from pytest_django import Settings

from central.corpus.models import Embedding
from central.tenancy.models import Organization
from tests.central.knowledge.graph import created, graph
from tests.central.protocol import api_of, file_record
from tests.central.test_tenant_isolation import FILES, add_secrets

pytestmark = pytest.mark.django_db


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
