"""What the forge says of a repository: names, pushes, and when the index is behind."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from central.corpus.branch_lifecycle import change_default_branch
from central.repositories import services
from central.repositories.models import Branch, Push, Repository
from central.repositories.services import (
    free_name,
    mark_behind,
    record_push,
    rename_repository,
    retire_repository,
)
from tests.central.factories import RepositoryFactory
from tests.central.protocol import Api, api_of, apply_queued, commit_of

pytestmark = pytest.mark.django_db

FILES = {"a.py": "def a\n"}
NEXT = {"a.py": "def a\n", "b.py": "def b\n"}
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
A, B, C = "a" * 40, "b" * 40, "c" * 40


# --- Which push is the last ---------------------------------------------------------------------


def pushed(repository: Repository, before: str, after: str, seconds: int = 0) -> bool:
    at = NOON + timedelta(seconds=seconds)
    return record_push(repository, commit_sha=after, before=before, pushed_at=at)


def last_push(repository: Repository) -> str:
    return Push.objects.get(repository=repository).commit_sha


def test_an_older_push_never_replaces_a_newer_one() -> None:
    repository = RepositoryFactory.create()
    assert pushed(repository, B, C, seconds=1)
    assert not pushed(repository, A, B, seconds=0)
    assert last_push(repository) == C
    assert pushed(repository, C, A, seconds=2)
    assert last_push(repository) == A


@pytest.mark.parametrize("in_order", [True, False])
def test_of_two_pushes_in_one_second_that_on_top_of_the_other_is_the_last(in_order: bool) -> None:
    repository = RepositoryFactory.create()
    pushes = [(A, B), (B, C)]
    for before, after in pushes if in_order else reversed(pushes):
        pushed(repository, before, after)
    assert last_push(repository) == C


def test_the_same_push_again_is_not_looked_at_again() -> None:
    repository = RepositoryFactory.create()
    assert pushed(repository, A, B)
    Push.objects.update(is_pending=False)
    assert not pushed(repository, A, B)
    assert not Push.objects.get().is_pending


# --- Behind -------------------------------------------------------------------------------------


@pytest.fixture
def api() -> Api:
    api = api_of()
    api.index(FILES)
    return api


def push(files: dict[str, str], *, minutes_ago: float = settings.BEHIND_MINUTES) -> str:
    """A push to shop of the commit that has `files`."""
    commit = commit_of(files)
    record_push(
        Repository.objects.get(name="shop"),
        commit_sha=commit,
        before=A,
        pushed_at=timezone.now() - timedelta(minutes=minutes_ago),
    )
    return commit


def flag() -> int:
    return mark_behind(now=timezone.now())


def state(api: Api) -> str:
    (project,) = api.status(project="shop").json()["projects"]
    return str(project["state"])


def test_a_push_that_nobody_indexes_is_behind_after_a_while(api: Api) -> None:
    push(NEXT, minutes_ago=settings.BEHIND_MINUTES - 1)
    assert flag() == 0
    assert state(api) == "current"
    Push.objects.update(pushed_at=timezone.now() - timedelta(minutes=settings.BEHIND_MINUTES))
    assert flag() == 1
    (project,) = api.status(project="shop").json()["projects"]
    assert project["state"] == "behind"
    assert commit_of(NEXT) in project["error"]
    assert "indexing workflow" in project["error"]
    assert flag() == 0  # once


def test_answers_say_that_the_project_is_behind(api: Api) -> None:
    push(NEXT)
    flag()
    answer = api.request("POST", "/api/v1/search", {"org_id": "acme", "query": "def a"}).json()
    assert {"project": "shop", "reason": "behind", "since": None} in answer["receipt"]["missing"]
    assert answer["results"]


def test_indexing_the_pushed_commit_ends_being_behind(api: Api) -> None:
    push(NEXT)
    flag()
    api.index(NEXT)
    assert flag() == 0
    assert state(api) == "current"


@pytest.mark.usefixtures("api")
def test_a_push_that_comes_while_it_is_looked_at_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = services._awaited

    def push_meanwhile(due: Any) -> list[Push]:
        awaited = list(real(due))
        push(FILES | {"c.py": "def c\n"}, minutes_ago=0)
        return awaited

    push(NEXT)
    monkeypatch.setattr(services, "_awaited", push_meanwhile)
    assert flag() == 0
    assert Repository.objects.get().trouble == ""
    assert Push.objects.get().is_pending


def test_a_push_that_was_indexed_in_time_is_not_behind(api: Api) -> None:
    api.index(NEXT)
    push(NEXT)
    assert flag() == 0
    assert not Push.objects.get().is_pending
    assert state(api) == "current"


def test_a_push_whose_run_was_overtaken_by_a_later_one_is_not_behind(api: Api) -> None:
    push(FILES | {"c.py": "def c\n"})
    api.index(FILES | {"c.py": "def c\n"})
    api.index(NEXT)
    assert flag() == 0
    assert state(api) == "current"


def test_a_push_whose_run_found_a_later_commit_indexed_is_not_behind(api: Api) -> None:
    commit = push(NEXT)
    run = api.open(commit_sha=commit).json()
    url = f"/api/v1/index/runs/{run['run_id']}?reason=superseded"
    assert api.request("DELETE", url).status_code == 204
    assert flag() == 0
    assert state(api) == "current"


def test_going_back_to_a_commit_that_was_indexed_before_is_behind_until_it_is_again(
    api: Api,
) -> None:
    api.index(NEXT)
    push(FILES, minutes_ago=-1)
    assert mark_behind(now=timezone.now() + timedelta(hours=1)) == 1
    assert state(api) == "behind"


def test_a_push_is_not_behind_while_a_run_is_under_way(api: Api) -> None:
    push(NEXT)
    api.queue_full(FILES | {"c.py": "def c\n"})
    assert flag() == 0
    assert state(api) == "indexing"
    apply_queued()  # its sweep looks before the run is applied
    assert flag() == 1
    assert state(api) == "behind"


def test_what_was_never_indexed_stays_never() -> None:
    api = api_of()
    RepositoryFactory.create(organization=api.organization, name="shop")
    push(NEXT)
    assert flag() == 0
    assert state(api) == "never"


def test_paused_stays_paused_and_is_behind_once_it_is_resumed(api: Api) -> None:
    push(NEXT)
    Repository.objects.update(paused=True)
    assert flag() == 0
    assert state(api) == "paused"
    Repository.objects.update(paused=False)
    assert flag() == 1
    assert state(api) == "behind"


def test_a_failure_is_not_hidden_by_being_behind(api: Api) -> None:
    push(NEXT)
    Repository.objects.update(trouble="failed", trouble_detail="It failed.")
    assert flag() == 0
    assert state(api) == "failed"


@pytest.mark.usefixtures("api")
def test_a_retired_repository_is_not_looked_at() -> None:
    push(NEXT)
    retire_repository(Repository.objects.get())
    assert flag() == 0


# --- Names and branches -------------------------------------------------------------------------


def test_the_longest_name_can_be_displaced_and_retired() -> None:
    repository = RepositoryFactory.create(name="x" * 200)
    free_name(repository)
    retire_repository(repository)
    repository.refresh_from_db()
    assert repository.name.endswith(f"~{repository.pk}")
    assert repository.retired_at


def test_retiring_again_changes_nothing() -> None:
    repository = RepositoryFactory.create()
    retire_repository(repository)
    before = Repository.objects.filter(pk=repository.pk).values().get()
    retire_repository(repository)
    assert Repository.objects.filter(pk=repository.pk).values().get() == before


def test_who_had_the_name_keeps_its_index_under_another() -> None:
    holder = RepositoryFactory.create(name="web", generation=3)
    repository = RepositoryFactory.create(organization=holder.organization, name="shop")
    rename_repository(repository, "web")
    holder.refresh_from_db()
    assert (holder.name, holder.generation) == (f"web~{holder.pk}", 3)
    assert Repository.objects.get(name="web") == repository


def test_only_who_tracks_the_old_default_branch_follows_to_the_new_one() -> None:
    follower, other = RepositoryFactory.create_batch(2, tracked_ref="refs/heads/master")
    Repository.objects.filter(pk=other.pk).update(tracked_ref="refs/heads/release")
    pushed(follower, A, B)
    waiting = Branch.objects.create(repository=other, ref="refs/heads/main", number=1)
    change = {"old": "refs/heads/master", "new": "refs/heads/main"}
    assert change_default_branch(follower, **change)
    assert not change_default_branch(other, **change)
    assert set(Repository.objects.values_list("tracked_ref", flat=True)) == {
        "refs/heads/main",
        "refs/heads/release",
    }
    assert not Push.objects.exists()  # it was one to the old branch
    assert Branch.objects.get() == waiting  # an event that is ignored deletes nothing
