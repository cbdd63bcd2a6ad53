"""The work on one repository up to its clone; tests/e2e/test_backfill.py has the rest."""

import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone
from pytest_django import Settings

from central.onboarding.models import Backfill, BackfillRepository, WorkState
from central.onboarding.services.queue import BACKFILL_ATTEMPTS
from central.onboarding.services.work import remove_leftovers, work_next
from central.repositories.expectations import is_expected
from central.repositories.models import IndexProblem, Repository
from central.tenancy.models import ApiToken
from scripts.local_git import git
from tests.central.onboarding.world import acme, backfill_of, queued, stand_in_for_git, use
from tests.local_forge import LocalForge, LocalRepository

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop(settings: Settings, forge: LocalForge, tmp_path: Path) -> LocalRepository:
    """A repository of the forge that is due here; no service runs at the address."""
    settings.DATA_DIR = tmp_path / "data"
    use(settings, forge, service_url="http://127.0.0.1:9")
    made = forge.add("shop", {"a.py": "a = 1\n"})
    queued(backfill_of(acme()), "shop", forge_key=made.id)
    return made


def worked() -> BackfillRepository:
    assert work_next()
    return BackfillRepository.objects.get()


def test_nothing_due_is_nothing_to_do(shop: LocalRepository) -> None:
    BackfillRepository.objects.all().delete()
    assert not work_next()


def test_a_repository_that_is_gone_is_skipped(forge: LocalForge, shop: LocalRepository) -> None:
    del forge.repositories[shop.id]
    row = worked()
    assert (row.state, row.error) == (
        WorkState.SKIPPED,
        "GitHub has no such repository for this service's credential.",
    )


def test_a_repository_of_another_owner_by_now_is_skipped(shop: LocalRepository) -> None:
    shop.owner, shop.owner_id = "globex", 5
    row = worked()
    assert (row.state, row.error) == (
        WorkState.SKIPPED,
        "It belongs to globex at GitHub, which is not this organisation's owner.",
    )


def test_a_repository_beyond_the_quota_is_not_cloned(
    forge: LocalForge, shop: LocalRepository
) -> None:
    shop.kilobytes = 5 * 1024**2
    row = worked()
    assert row.state == WorkState.SKIPPED
    assert "5,120 MiB" in row.error
    assert not any("upload-pack" in path for _, path, _ in forge.asked)


def test_an_empty_repository_is_skipped(forge: LocalForge, shop: LocalRepository) -> None:
    empty = forge.add("empty")
    BackfillRepository.objects.update(forge_key=empty.id)
    row = worked()
    assert (row.state, row.error, row.name) == (
        WorkState.SKIPPED,
        "It has no commit yet.",
        "empty",  # as it is called now
    )


def test_why_there_is_no_index_is_told_by_the_repository_itself(
    forge: LocalForge, shop: LocalRepository
) -> None:
    announced = Repository.objects.create(organization=acme(), name="shop", forge_key=shop.id)
    BackfillRepository.objects.update(repository=announced)
    shop.kilobytes = 5 * 1024**2
    worked()
    announced.refresh_from_db()
    assert announced.trouble == IndexProblem.NOT_CLONED
    assert "5,120 MiB" in announced.trouble_detail
    assert is_expected(announced)


def test_an_empty_repository_is_not_expected_to_have_an_index(
    forge: LocalForge, shop: LocalRepository
) -> None:
    empty = forge.add("empty")
    announced = Repository.objects.create(organization=acme(), name="empty", forge_key=empty.id)
    BackfillRepository.objects.update(forge_key=empty.id, repository=announced)
    worked()
    announced.refresh_from_db()
    assert not is_expected(announced)


def test_a_paused_repository_is_skipped(shop: LocalRepository) -> None:
    paused = Repository.objects.create(
        organization=acme(), name="shop", tracked_ref="refs/heads/main", paused=True
    )
    BackfillRepository.objects.update(repository=paused)
    assert worked().state == WorkState.SKIPPED


def test_an_address_is_not_indexed_as_github_s_repository_of_that_name(
    forge: LocalForge, shop: LocalRepository
) -> None:
    """Its code would have the visibility of another: two forges may have one name."""
    Repository.objects.create(
        organization=acme(), name="shop", forge_key=7, visibility="public", generation=1
    )
    BackfillRepository.objects.update(forge_key=None, url=f"{forge.url}/acme/shop")
    row = worked()
    assert (row.state, forge.asked) == (WorkState.SKIPPED, [])
    assert "'shop' is a repository at GitHub by now" in row.error


def test_an_unavailable_forge_is_waited_for(forge: LocalForge, shop: LocalRepository) -> None:
    forge.is_away = True
    row = worked()
    assert (row.state, row.attempts) == (WorkState.QUEUED, 0)
    assert row.due_at > timezone.now()
    assert "HTTP 503" in row.error


def test_a_failed_clone_is_tried_again(shop: LocalRepository, settings: Settings) -> None:
    shutil.rmtree(shop.bare)
    row = worked()
    assert (row.state, row.attempts) == (WorkState.QUEUED, 1)
    assert row.error.startswith("fatal:")
    assert not list((settings.DATA_DIR / "backfill").iterdir())


def test_a_message_of_git_with_any_bytes_is_the_reason_of_the_failure(
    shop: LocalRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL stores no NUL: the work was taken again and again, without a reason."""
    stand_in_for_git(
        tmp_path / "bin", monkeypatch, r"remote: \033[31m\377\nfatal: damaged\000 pack\000"
    )
    for attempt in range(1, BACKFILL_ATTEMPTS + 1):
        row = worked()
        assert row.attempts == attempt
        assert row.error == "remote: �[31m� fatal: damaged� pack"
        BackfillRepository.objects.update(due_at=timezone.now())
    assert row.state == WorkState.FAILED


def test_a_branch_that_is_no_text_is_a_reason_too(shop: LocalRepository) -> None:
    latin = "refs/heads/caf\udce9"
    git(shop.bare, "update-ref", latin, "HEAD")
    git(shop.bare, "symbolic-ref", "HEAD", latin)
    assert "unusable name" in worked().error


@pytest.mark.parametrize(
    ("change", "error"),
    [({"max_bytes": 1}, ""), ({"max_seconds": -1}, "It took longer than a repository may.")],
)
def test_a_clone_beyond_its_quota_is_stopped(
    shop: LocalRepository, settings: Settings, change: dict[str, Any], error: str
) -> None:
    shop.kilobytes = 0
    settings.BACKFILL = replace(settings.BACKFILL, **change)
    row = worked()
    assert row.state in {WorkState.FAILED, WorkState.QUEUED}
    assert error in row.error
    assert not list((settings.DATA_DIR / "backfill").iterdir())


def test_an_address_that_became_private_is_refused(
    shop: LocalRepository, settings: Settings
) -> None:
    settings.BACKFILL = replace(settings.BACKFILL, networks=())
    row = worked()
    assert row.state == WorkState.FAILED
    assert "private address" in row.error


def test_without_a_running_service_it_waits(shop: LocalRepository, settings: Settings) -> None:
    settings.BACKFILL = replace(settings.BACKFILL, service_url="")
    settings.PUBLIC_URL = None
    row = worked()
    assert (row.state, row.attempts) == (WorkState.QUEUED, 0)
    assert "AETERNA_BACKFILL_URL" in row.error


def test_an_indexer_without_an_answer_waits_and_its_token_ends(
    shop: LocalRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The token is for this commit of this repository alone, and is revoked at once."""
    monkeypatch.setenv("AETERNA_RETRY_SECONDS", "0")
    row = worked()
    assert (row.state, row.attempts) == (WorkState.QUEUED, 0), row.error
    token = ApiToken.objects.get()
    assert (token.scopes, token.bound_repository_id) == (["index"], shop.id)
    assert (token.bound_project, token.bound_ref) == ("shop", "refs/heads/main")
    assert token.revoked_at is not None
    assert token.is_short_lived


def test_directories_of_killed_processes_are_removed(settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    live = queued(
        backfill_of(acme()),
        state=WorkState.RUNNING,
        claim=uuid4(),
        lease_until=timezone.now() + timedelta(minutes=1),
    )
    parent = tmp_path / "backfill"
    for name in (str(live.claim), str(uuid4()), "not-ours"):
        (parent / name).mkdir(parents=True)
    assert remove_leftovers() == 1
    assert {path.name for path in parent.iterdir()} == {str(live.claim), "not-ours"}
    assert Backfill.objects.count() == 1


def test_work_of_a_stopping_process_is_due_again_at_once(
    forge: LocalForge, shop: LocalRepository, settings: Settings
) -> None:
    forge.held.clear()  # the clone would not end
    assert work_next(is_stopping=lambda: True)
    row = BackfillRepository.objects.get()
    assert (row.state, row.attempts, row.claim) == (WorkState.QUEUED, 0, None)
    assert row.due_at <= timezone.now()
    assert not list((settings.DATA_DIR / "backfill").iterdir())


def test_the_branch_that_is_tracked_here_is_cloned(
    forge: LocalForge, shop: LocalRepository
) -> None:
    Repository.objects.create(
        organization=acme(), name="shop", forge_key=shop.id, tracked_ref="refs/heads/gone"
    )
    assert "gone" in worked().error
