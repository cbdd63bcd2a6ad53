"""How an indexer learns that its run is applied: by one request, or as an older service has it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from central.runtime.postgres_paths import short_name
from scripts.local_git import commit_all
from scripts.local_service import Organization
from tests.e2e.conftest import MakeRepository, write_files
from tests.e2e.holding_proxy import HoldingProxy, holding_proxy, without_wait
from tests.e2e.indexing import index_here
from tests.waiting import wait_until

FILES = {f"src/module_{n}.py": f"def compute_{n}(total):\n    return {n}\n" for n in range(20)}
CHANGED = {f"src/module_{n}.py": f"def changed_{n}():\n    return {n}\n" for n in range(3)}
RUNS = "/api/v1/index/runs"


@pytest.fixture
def repository(
    acme: Organization, make_repository: MakeRepository, request: pytest.FixtureRequest
) -> Path:
    """An indexed repository, by its directory's name, of which three files have changed."""
    repository = make_repository(request.node.name, FILES)
    index_here(acme, repository, repository.name)
    write_files(repository, CHANGED)
    commit_all(repository, "Three files")
    return repository


@contextmanager
def applies_held(acme: Organization) -> Iterator[None]:
    """No apply ends inside."""
    socket = short_name(acme.service.data_dir / "postgres")
    with psycopg.connect(host=str(socket), user="postgres") as holder:
        holder.execute("LOCK TABLE corpus_termstat IN EXCLUSIVE MODE")
        yield


def questions(proxy: HoldingProxy) -> int:
    """How often the state of a run was asked for."""
    return [method for method, _ in proxy.seen].count("GET")


def test_three_changed_files_take_five_requests(acme: Organization, repository: Path) -> None:
    with holding_proxy(acme.service.url) as proxy:
        report = acme.index(repository, repository.name, environment={"AETERNA_URL": proxy.url})
    run = report["run_id"]
    assert (report["mode"], report["files"]["changed"]) == ("incremental", 3)
    assert proxy.seen == [
        ("POST", RUNS),
        ("POST", f"{RUNS}/{run}/embeddings"),
        ("PUT", f"{RUNS}/{run}/batches/1"),
        ("POST", "/api/v1/index/updated"),
        ("GET", f"{RUNS}/{run}?wait=5"),
    ]
    assert acme.get(f"index/runs/{run}")["state"] == "applied"


def test_a_service_that_knows_no_wait_is_asked_until_the_run_is_applied(
    acme: Organization, repository: Path
) -> None:
    with holding_proxy(acme.service.url) as proxy:
        proxy.forwarded = without_wait
        with applies_held(acme):
            indexer = acme.start_index(
                repository, repository.name, environment={"AETERNA_URL": proxy.url}
            )
            wait_until(lambda: questions(proxy) > 3, "it does not ask again")
            assert indexer.poll() is None
        _, errors = indexer.communicate(timeout=120)
    assert indexer.returncode == 0, errors
    assert acme.search("changed 2", include_projects=[repository.name])["results"]
