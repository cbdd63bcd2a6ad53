"""The status: states, figures, and a bounded number of queries."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from central.ingest.models import IndexRun
from central.ingest.services.run_lifecycle import expire_runs
from central.repositories.models import Repository
from central.tenancy.models import Scope
from indexer.records.files import FileRecord, SkipReason, TreeEntry
from indexer.records.manifests import Ecosystem, Manifest, ManifestProblem
from tests.central.factories import RepositoryFactory
from tests.central.protocol import (
    Api,
    api_of,
    apply_queued,
    commit_of,
    file_record,
    skipped_record,
    tree_of,
)

pytestmark = pytest.mark.django_db

FILES = {"a.py": "def a\n", "b.py": "def b\n"}


@pytest.fixture
def api() -> Api:
    return api_of()


def status(api: Api) -> dict[str, Any]:
    (project,) = api.status(project="shop").json()["projects"]
    return dict(project)


def abandon(api: Api, run: dict[str, Any], query: str = "") -> None:
    url = f"/api/v1/index/runs/{run['run_id']}{query}"
    assert api.request("DELETE", url).status_code == 204
    assert api.request("DELETE", url).status_code == 204


def test_an_organisation_without_repositories(api: Api) -> None:
    assert api.status().json() == {
        "org_id": "acme",
        "last_updated": None,
        "total_chunks": 0,
        "projects": [],
    }


def test_an_applied_run_is_current_and_counted(api: Api) -> None:
    api.index(FILES)
    answer = api.status(org_id="org-acme").json()
    assert answer["total_chunks"] == 2
    (project,) = answer["projects"]
    assert project["indexed_at"] == answer["last_updated"]
    expected = {
        "project": "shop",
        "default_branch": "main",
        "last_indexed_commit": commit_of(FILES),
        "generation": 1,
        "state": "current",
        "mode": "full",
        "reason": "first_index",
        "vectors": "relay",
        "files": 2,
        "chunks": 2,
        "symbols": 2,
        "references": 2,
        "languages": {"python": 2},
        "error": None,
    }
    assert {key: project[key] for key in expected} == expected


def test_a_language_of_which_only_text_is_indexed_says_so(api: Api) -> None:
    languages = {"python": 5, "zig": 2, "dart": 1, "markdown": 3}
    RepositoryFactory.create(organization=api.organization, name="shop", languages=languages)
    assert status(api)["languages_without_symbols"] == ["dart", "zig"]


def test_states_follow_the_runs(api: Api) -> None:
    RepositoryFactory.create(organization=api.organization, name="shop")
    assert status(api)["state"] == "never"
    run = api.open().json()
    assert status(api)["state"] == "indexing"
    abandon(api, run, "?reason=superseded")
    assert status(api)["state"] == "never"
    abandon(api, api.open().json(), "?reason=cancelled")
    assert status(api)["state"] == "behind"
    api.index(FILES)
    assert status(api)["state"] == "current"
    abandon(api, api.open(commit_sha=commit_of(FILES)).json())
    assert status(api)["state"] == "current"
    Repository.objects.update(paused=True)
    assert status(api)["state"] == "paused"


def test_an_old_commit_s_run_does_not_make_an_index_current_that_is_behind(api: Api) -> None:
    api.index(FILES)
    newer = api.open(commit_sha="b" * 40).json()
    abandon(api, newer, "?reason=cancelled")
    abandon(api, api.open(commit_sha=commit_of(FILES)).json(), "?reason=up_to_date")
    abandon(api, api.open(commit_sha=commit_of(FILES)).json())
    assert status(api)["state"] == "behind"
    abandon(api, api.open(commit_sha="b" * 40).json(), "?reason=superseded")
    assert status(api)["state"] == "current"


def test_a_failed_run_is_shown_with_its_error(api: Api) -> None:
    run = api.open(commit_sha=commit_of(FILES)).json()
    api.put_tree(run, tree_of(FILES))
    api.put_batch(run, 1, [file_record("a.py", FILES["a.py"])])
    api.deliver(run, api.announcement(run, commit_sha=commit_of(FILES)))
    assert apply_queued() == ["failed"]
    assert status(api)["state"] == "failed"
    assert "did not come" in status(api)["error"]


def test_a_silent_run_expires_and_leaves_the_index_behind(api: Api) -> None:
    run = api.open().json()
    IndexRun.objects.update(touched_at=timezone.now() - timedelta(minutes=59))
    assert expire_runs() == 0
    IndexRun.objects.update(touched_at=timezone.now() - timedelta(minutes=61))
    assert expire_runs() == 1
    assert api.state(run)["state"] == "expired"
    assert status(api)["state"] == "behind"
    assert "a" * 40 in status(api)["error"]


def test_a_run_that_expires_after_a_newer_one_was_applied_is_no_trouble(api: Api) -> None:
    api.open()
    api.index(FILES)
    IndexRun.objects.update(touched_at=timezone.now() - timedelta(minutes=61))
    assert expire_runs() == 1
    assert status(api)["state"] == "current"


def test_bad_questions(api: Api) -> None:
    codes = {
        "": api.status(org_id=""),
        "organization_not_found": api.status(org_id="globex"),
        "repository_not_found": api.status(project="ghost"),
    }
    assert codes[""].json()["code"] == "invalid"
    assert codes["organization_not_found"].status_code == 404
    assert codes["repository_not_found"].json()["code"] == "repository_not_found"
    assert api.status(project="a\0b").status_code == 400
    assert api_of(scopes=[Scope.INDEX]).status().json()["code"] == "insufficient_scope"


def test_a_limited_token_sees_its_repositories_only(api: Api) -> None:
    for name in ("shop", "secret"):
        RepositoryFactory.create(organization=api.organization, name=name)
    limited = api_of(repositories=["shop"])
    assert [p["project"] for p in limited.status().json()["projects"]] == ["shop"]
    assert limited.status(project="secret").status_code == 404


def test_the_number_of_queries_does_not_grow(
    api: Api, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    api.status()
    for _ in range(5):
        RepositoryFactory.create(organization=api.organization)
    with django_assert_num_queries(4):  # the token, the repositories, branches, the policies
        assert len(api.status().json()["projects"]) == 5


def index_with_skipped(api: Api, project: str) -> None:
    """A text and three skipped files."""
    index_records(
        api,
        project,
        [
            file_record("a.py", "def a\n"),
            skipped_record("a.png"),
            skipped_record("b.png"),
            skipped_record("c.json", SkipReason.TOO_LARGE),
        ],
    )


def test_a_repository_has_the_disk_of_its_rows(api: Api) -> None:
    cache.clear()
    index_with_skipped(api, "shop")
    Repository.objects.update(chunks=10, symbols=20, references=30)
    RepositoryFactory.create(organization=api.organization, name="half", chunks=30)
    RepositoryFactory.create(organization=api.organization, name="none")
    whole, half, none = (
        next(row["disk_bytes"] for row in api.status().json()["projects"] if row["project"] == name)
        for name in ("shop", "half", "none")
    )
    assert whole > 1_000_000  # the tables' own
    assert abs(whole - 2 * half) <= 1
    assert none == 0


def index_records(api: Api, project: str, records: list[FileRecord]) -> None:
    tree = [TreeEntry(one.path, one.mode, one.blob, one.size) for one in records]
    run = api.open(project).json()
    assert api.put_tree(run, tree).status_code == 200
    assert api.put_batch(run, 1, records).status_code == 204
    message = api.announcement(run, project_id=project)
    assert api.deliver(run, message).status_code == 202
    assert apply_queued() == ["applied"]


def test_skipped_files_are_counted_by_reason(
    api: Api,
    django_assert_num_queries: DjangoAssertNumQueries,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for project in ("shop", "cart"):
        index_with_skipped(api, project)
    RepositoryFactory.create(organization=api.organization, name="empty")
    api.status()  # measures the disk
    with django_assert_num_queries(6):  # and the reasons, and manifests
        projects = api.status().json()["projects"]
    assert [(one["skipped"], one["skipped_reasons"]) for one in projects] == [
        (3, {"binary": 2, "too_large": 1}),
        (0, {}),
        (3, {"binary": 2, "too_large": 1}),
    ]
    monkeypatch.setattr("central.repositories.status.STATUS_SKIPPED_FILES", 5)
    assert [one["skipped_reasons"] for one in api.status().json()["projects"]] == [None] * 3
    assert status(api)["skipped_reasons"] == {"binary": 2, "too_large": 1}


def test_manifests_that_are_not_read_are_named_with_the_reason(api: Api) -> None:
    broken = replace(
        file_record("web/package.json", "{\n"),
        manifest=Manifest(Ecosystem.NPM, problem=ManifestProblem.INVALID),
    )
    index_records(api, "shop", [file_record("a.py", "def a\n"), broken])
    assert status(api)["unread_manifests"] == {"web/package.json": "invalid"}


def test_each_repository_names_its_first_unread_manifests(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("central.repositories.status.STATUS_UNREAD_MANIFESTS", 2)
    unread = Manifest(Ecosystem.NPM, problem=ManifestProblem.PARTIAL)
    for project, count in (("cart", 5), ("shop", 1)):
        paths = [f"{number}/package.json" for number in range(count)]
        index_records(
            api, project, [replace(file_record(path, "{\n"), manifest=unread) for path in paths]
        )
    assert [list(one["unread_manifests"]) for one in api.status().json()["projects"]] == [
        ["0/package.json", "1/package.json"],
        ["0/package.json"],
    ]


def test_a_run_that_has_not_ended_is_shown_with_its_progress(api: Api) -> None:
    api.index(FILES)
    assert status(api)["run"] is None
    run = api.open().json()
    IndexRun.objects.filter(pk=run["run_id"]).update(progress={"stage": "points", "percent": 40})
    shown = status(api)["run"]
    assert shown == {
        "id": run["run_id"],
        "state": "open",
        "progress": {"stage": "points", "percent": 40},
    }


def test_an_empty_project_filters_nothing(api: Api) -> None:
    api.index(FILES)
    assert [project["project"] for project in api.status(project="").json()["projects"]] == ["shop"]
