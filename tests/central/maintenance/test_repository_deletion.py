"""Retired repositories are seen, indexed and applied by nobody, and leave nothing behind."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from django.apps import apps
from django.db import connection
from django.db.models import ForeignKey, Model, QuerySet
from django.utils import timezone

from central.alerts.models import Condition, RepositoryAlert
from central.corpus.backends import collection_of, vector_store
from central.corpus.branches.tables import OTHERS
from central.corpus.models import (
    Chunk,
    Export,
    File,
    Import,
    Reference,
    ScipDefinition,
    ScipSymbol,
    Symbol,
    TrigramSegment,
)
from central.corpus.rows import REPAIR_RUN
from central.corpus.withheld import purge_path
from central.ingest.models import Batch, IndexRun
from central.ingest.services import apply_run as applying
from central.ingest.services.claims import RunClaim, sweep
from central.knowledge.models import Mention
from central.knowledge.services.catch_up import KnowledgeGraph
from central.maintenance.reconcile import reconcile
from central.maintenance.repository_deletion import (
    WRITERS_SECONDS,
    purge_repository,
    purgeable_repositories,
)
from central.repositories.models import Repository
from central.repositories.services import (
    record_push,
    retire_repository,
)
from central.repositories.states import RunState
from central.saved_searches.models import SavedSearch, WatchedFile, WatchedRepository
from central.tenancy.models import Organization
from indexer.records.vectors import TermVector
from indexer.store.base import Point
from tests.central.branches import Service
from tests.central.commits import change, commit, store_commits
from tests.central.factories import (
    DependencyFactory,
    FileFactory,
    ModuleFactory,
    PackageFactory,
    UserFactory,
)
from tests.central.knowledge.graph import created, linked
from tests.central.onboarding.world import backfill_of, queued
from tests.central.protocol import (
    Api,
    api_of,
    apply_queued,
    apply_run,
    claim_run,
    file_record,
    tree_of,
    unit_vector,
)
from tests.central.trace.corpus import add_scip

pytestmark = pytest.mark.django_db

FILES = {"a.py": "def a\ndef aa\n", "b.py": "def b\n"}
EMBEDDER = Organization._meta.get_field("embedder").default
OTHER_EMBEDDER = "builtin/other-1/256"


@pytest.fixture
def api() -> Api:
    return api_of()


def retire(name: str = "shop") -> Repository:
    """Retired, as long ago as purging waits."""
    repository = Repository.objects.select_related("organization").get(name=name)
    retire_repository(repository)
    lease = timedelta(seconds=WRITERS_SECONDS)
    Repository.objects.filter(pk=repository.pk).update(retired_at=timezone.now() - lease)
    return repository


def purge() -> list[int]:
    """As the sweeper does."""
    sweep()
    purgeable = purgeable_repositories(now=timezone.now())
    for repository_id in purgeable:
        purge_repository(repository_id=repository_id)
    return purgeable


def points(repository: Repository, embedder: str | None = None) -> int:
    return len(list(vector_store().points(collection_of(repository, embedder))))


def rows_of(repository_id: int) -> dict[str, int]:
    """How many rows of each model belong to the repository, by every path of foreign keys."""
    found: dict[str, int] = {}
    owned: dict[type[Model], list[Any]] = {Repository: [repository_id]}
    waiting: list[type[Model]] = [Repository]
    while waiting:
        owner = waiting.pop()
        for model in apps.get_models():
            for field in model._meta.concrete_fields:
                if not isinstance(field, ForeignKey) or field.related_model is not owner:
                    continue
                rows: QuerySet[Model] = model._default_manager.filter(
                    **{f"{field.attname}__in": owned[owner]}
                )
                keys = list(rows.values_list("pk", flat=True))
                found[model.__name__] = max(found.get(model.__name__, 0), len(keys))
                if model not in owned and keys and not isinstance(keys[0], tuple):
                    owned[model] = keys
                    waiting.append(model)
    return found | rows_of_others(repository_id)


def rows_of_others(repository_id: int) -> dict[str, int]:
    """How many rows are in the tables of what only other branches have."""
    with connection.cursor() as cursor:
        found = {}
        for model in (File, Chunk, Symbol, Import, Export, Reference, TrigramSegment):
            table = f"{OTHERS}.{model._meta.db_table}"
            cursor.execute(
                f"SELECT count(*) FROM {table} WHERE repository_id = %s",  # noqa: S608
                [repository_id],
            )
            [found[table]] = cursor.fetchone() or [0]
    return found


def fill(api: Api, project: str) -> Repository:
    """An indexed repository with rows of every kind, an open run with uploads among them."""
    api.index(FILES, project=project)
    api.organization.embedder = OTHER_EMBEDDER
    api.organization.save()
    api.index(FILES | {"c.py": "def c\n"}, project=project)
    repository = Repository.objects.select_related("organization").get(name=project)
    type(api.organization).objects.update(branches=["release/*"])
    Service(api, project).push("release/1", FILES | {"b.py": "def other\n"})
    package = PackageFactory.create(repository=repository)
    DependencyFactory.create(package=package)
    file = FileFactory.create(repository=repository, path="pyproject.toml")
    ModuleFactory.create(file=file, package=package)
    fill_graph(api, project)
    symbol = f"scip-python python {project} . a/a#"
    add_scip(repository, {"a.py": {"def |a": symbol, symbol: f"< {symbol}"}})
    added = change("shop/cart.py", hunks="@@ -0,0 +1 @@\n+def total(): ...\n")
    store_commits(repository, "Begin", commit("Begin", changes=[added]))
    purge_path(repository, "secret.env", actor="test")
    ScipDefinition.objects.create(
        repository=repository,
        file=repository.file_set.get(path="a.py"),
        symbol=ScipSymbol.objects.get(repository=repository),
        qualified_name="a",
    )
    queued(backfill_of(api.organization), project, repository=repository)
    RepositoryAlert.objects.create(
        organization=api.organization,
        repository=repository,
        condition=Condition.FAILED,
        since=timezone.now(),
    )
    search = SavedSearch.objects.create(
        organization=api.organization, owner=UserFactory.create(), name=project, request={}
    )
    watched = WatchedRepository.objects.create(
        organization=api.organization, search=search, repository=repository, generation=1
    )
    WatchedFile.objects.create(watched=watched, path="a.py", lines=b"")
    push = {"commit_sha": "c" * 40, "before": "a" * 40, "pushed_at": timezone.now()}
    record_push(repository, **push)
    record_push(repository, ref="refs/heads/release/1", **push)
    run = api.open(project).json()
    api.put_tree(run, tree_of({"d.py": "def d\n"}))
    api.organization.embedder = EMBEDDER
    api.organization.save()
    return repository


def fill_graph(api: Api, project: str) -> None:
    """A document, a policy, an edge, a mention and how far the code is linked."""
    code = f"code:{project}/a.py"
    created(api, kind="memory", id=f"mem-{project}", title="Learnt", project=project)
    policy = {"rule": "rule: {pattern: f()}", "language": "python"}
    created(api, kind="policy", id=f"POL-{project}", title="No", project=project, policy=policy)
    linked(api, f"{project}/mem-{project}", "derived_from", code)
    KnowledgeGraph().follow()
    Mention.objects.create(
        repository=Repository.objects.get(name=project), path="a.py", line=1, key="adr-1"
    )


def test_no_row_and_no_point_is_left_and_others_keep_theirs(api: Api) -> None:
    shop, web = fill(api, "shop"), fill(api, "web")
    before = rows_of(web.pk)
    assert rows_of(shop.pk) == before
    lacking = {name for name, count in before.items() if not count} - {"Manifest"}
    assert lacking == set(), "let `fill` make rows of these"
    kept = points(web, OTHER_EMBEDDER)
    assert points(shop, OTHER_EMBEDDER) == kept > 0
    retire("shop")
    assert purge() == [shop.pk]
    assert not Repository.objects.filter(pk=shop.pk).exists()
    assert not {name: count for name, count in rows_of(shop.pk).items() if count}
    assert points(shop) == points(shop, OTHER_EMBEDDER) == 0
    assert rows_of(web.pk) == before
    assert points(web, OTHER_EMBEDDER) == kept
    assert purge() == []
    assert reconcile(repair=False).is_clean


def test_points_of_a_former_embedder_go_too(api: Api) -> None:
    api.index(FILES)
    shop = Repository.objects.select_related("organization").get()
    former = collection_of(shop)
    api.organization.embedder = OTHER_EMBEDDER
    api.organization.save()
    api.index({"x.py": "def x\n"})
    assert points(shop, OTHER_EMBEDDER) == 1
    retire()
    purge()
    assert list(vector_store().points(former)) == []
    assert points(shop, OTHER_EMBEDDER) == 0


def test_what_is_left_of_an_embedder_that_only_runs_of_a_branch_had_goes_too(api: Api) -> None:
    type(api.organization).objects.update(branches=["release/*"])
    service = Service(api)
    service.push("main", FILES)
    type(api.organization).objects.update(embedder=OTHER_EMBEDDER)
    service.push("release/1", FILES)
    shop = Repository.objects.select_related("organization").get()
    collection = collection_of(shop, OTHER_EMBEDDER, of_others=True)
    vector_store().upsert(collection, [stray(1)])  # of a run that broke off
    assert len(list(vector_store().points(collection))) > 1
    retire()
    purge()
    assert list(vector_store().points(collection)) == []


def test_a_repository_that_was_retired_just_now_waits_for_whoever_writes_to_it(api: Api) -> None:
    api.index(FILES)
    retire_repository(Repository.objects.get())
    assert purge() == []
    assert Chunk.objects.exists()


def test_a_retired_repository_is_not_seen_and_its_name_is_free(api: Api) -> None:
    api.index(FILES)
    old = retire()
    assert api.status().json()["projects"] == []
    assert api.status(project=old.name).status_code == 404
    assert api.status(project=f"shop~{old.pk}").status_code == 404
    found = api.request("POST", "/api/v1/search", {"org_id": "acme", "query": "def a"})
    assert found.json()["results"] == []
    api.index({"z.py": "def z\n"})
    (project,) = api.status().json()["projects"]
    assert (project["project"], project["generation"], project["files"]) == ("shop", 1, 1)
    purge()
    assert File.objects.values_list("path", flat=True).get() == "z.py"


def test_a_retired_repository_lends_no_vectors(api: Api) -> None:
    api.index(FILES)
    retire()
    run = api.open("web").json()
    path, content = next(iter(FILES.items()))
    answer = api.put_batch(run, 1, [file_record(path, content, has_vectors=False)])
    assert answer.json()["code"] == "embedding_unknown"


def test_an_open_run_takes_nothing_more_and_ends_as_abandoned(api: Api) -> None:
    run = api.open().json()
    assert api.put_batch(run, 1, [file_record("a.py", "def a\n")]).status_code == 204
    retire()
    url = f"/api/v1/index/runs/{run['run_id']}"
    assert api.request("GET", url).status_code == 404
    assert api.put_batch(run, 2, [file_record("b.py", "def b\n")]).status_code == 404
    assert api.deliver(run, api.announcement(run)).status_code == 404
    assert sweep() == []
    assert IndexRun.objects.get().state == RunState.ABANDONED
    assert not Batch.objects.exists()


def test_a_queued_run_cannot_be_claimed_and_ends_as_abandoned(api: Api) -> None:
    run = api.queue_full(FILES)
    retire()
    assert apply_run(run_id=run["run_id"]) is None
    assert sweep() == []
    assert IndexRun.objects.get().state == RunState.ABANDONED
    assert not Chunk.objects.exists()


def test_an_apply_that_is_under_way_goes_stale_and_only_then_is_all_purged(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = api.queue_full(FILES)
    shop = Repository.objects.select_related("organization").get()
    real = applying.prepare_vectors

    def upload_then_retire(**arguments: Any) -> None:
        real(**arguments)
        assert points(shop) == 3
        retire()
        assert purge() == []

    monkeypatch.setattr(applying, "prepare_vectors", upload_then_retire)
    assert apply_run(run_id=run["run_id"]) == RunState.STALE
    assert not Chunk.objects.exists()
    assert purge() == [shop.pk]
    assert points(shop) == 0


def test_the_run_of_a_dead_worker_ends_before_its_repository_is_purged(api: Api) -> None:
    run = api.queue_full(FILES)
    assert claim_run(run_id=run["run_id"])
    shop = retire()
    assert purge() == []
    RunClaim.expire_leases()
    assert apply_queued() == [RunState.STALE]
    assert purge() == [shop.pk]


class KilledError(BaseException):
    """The process ends here."""


@contextmanager
def killed_at(statement: int) -> Iterator[None]:
    """Let so many statements through, then end."""
    seen = 0

    def execute(run: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal seen
        seen += 1
        if seen > statement:
            raise KilledError
        return run(*arguments)

    with connection.execute_wrapper(execute):
        yield


def test_whatever_ends_it_the_repository_stays_retired_and_is_purged_by_the_next(api: Api) -> None:
    shop = fill(api, "shop")
    retire()
    sweep()
    statement = 0
    while Repository.objects.filter(pk=shop.pk).exists():
        assert purgeable_repositories(now=timezone.now()) == [shop.pk]
        try:
            with killed_at(statement):
                purge_repository(repository_id=shop.pk)
        except KilledError:
            statement += 1
            assert api.status().json()["projects"] == []
    assert statement > 10  # one for each table and more
    assert not {name: count for name, count in rows_of(shop.pk).items() if count}
    assert points(shop, EMBEDDER) == points(shop, OTHER_EMBEDDER) == 0


def stray(number: int) -> Point:
    return Point(
        id=UUID(int=number),
        run=REPAIR_RUN,
        path="a.py",
        language="python",
        type="function",
        vector=unit_vector("a"),
        terms=TermVector(np.array([1], dtype=np.uint32), np.ones(1, dtype=np.float32)),
    )


def test_points_that_come_while_rows_go_are_dropped_too(api: Api) -> None:
    """As those of a reconcile do that had read the rows before."""
    fill(api, "shop")
    shop = retire()
    sweep()
    written = []

    def write_before_chunks_go(run: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        if sql.startswith("DELETE FROM corpus_chunk"):
            for embedder in (shop.embedder, EMBEDDER):
                vector_store().upsert(collection_of(shop, embedder), [stray(len(written))])
                written.append(embedder)
        return run(sql, *arguments)

    with connection.execute_wrapper(write_before_chunks_go):
        purge_repository(repository_id=shop.pk)
    assert set(written) == {EMBEDDER, OTHER_EMBEDDER}
    assert points(shop, EMBEDDER) == points(shop, OTHER_EMBEDDER) == 0


def test_a_repository_in_use_is_never_purged(api: Api) -> None:
    api.index(FILES)
    purge_repository(repository_id=Repository.objects.get().pk)
    assert Chunk.objects.count() == 3
