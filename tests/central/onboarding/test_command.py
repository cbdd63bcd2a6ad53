"""`manage.py backfill`, as far as it needs no service."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from central.onboarding.models import Backfill, BackfillRepository, WorkState
from central.onboarding.services.queue import CloneClaim
from central.tenancy.models import Organization
from tests.central.onboarding.world import acme, stand_in_for_git, use
from tests.local_forge import OWNER_ID, LocalForge

pytestmark = pytest.mark.django_db


def backfill(*arguments: str) -> str:
    out = StringIO()
    call_command("backfill", *arguments, stdout=out)
    return out.getvalue()


def test_a_dry_run_lists_what_would_be_indexed(settings: Settings, forge: LocalForge) -> None:
    use(settings, forge)
    acme()
    forge.add("cart")
    forge.add("old", archived=True)
    assert backfill("acme", "--dry-run").splitlines() == [
        "acme/cart: would be indexed",
        "acme/old: archived",
    ]
    assert not Backfill.objects.exists()


def test_the_operator_s_first_backfill_sets_the_owner(
    settings: Settings, forge: LocalForge
) -> None:
    use(settings, forge)
    Organization.objects.create(slug="shop-inc")
    said = backfill("shop-inc", "--owner", "acme", "--include", "a,b", "--forks", "--detach")
    assert "shop-inc belongs to GitHub's acme now." in said
    assert Organization.objects.get().github_owner_id == OWNER_ID
    made = Backfill.objects.get()
    assert made.selection["include"] == ["a", "b"]
    assert made.selection["forks"]
    assert f"backfill {made.pk}" in said


def test_a_failed_repository_ends_the_command_with_an_error(
    settings: Settings, forge: LocalForge
) -> None:
    use(settings, forge, service_url="http://127.0.0.1:9", max_seconds=-1)
    acme()
    forge.add("shop", {"a.py": "a = 1\n"})
    with pytest.raises(CommandError, match="Some repositories failed"):
        backfill("acme")
    assert BackfillRepository.objects.get().state == WorkState.FAILED


def test_a_message_of_git_with_a_nul_is_printed_as_the_reason(
    settings: Settings, forge: LocalForge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(settings, forge, service_url="http://127.0.0.1:9")
    acme()
    forge.add("shop", {"a.py": "a = 1\n"})
    stand_in_for_git(tmp_path / "bin", monkeypatch, r"fatal: damaged\000 pack\000")
    monkeypatch.setattr(CloneClaim, "attempts", 1)
    out = StringIO()
    with pytest.raises(CommandError, match="Some repositories failed"):
        call_command("backfill", "acme", stdout=out)
    assert re.search(r"shop failed in .* s: fatal: damaged� pack\n", out.getvalue())


def test_what_is_wrong_is_named(settings: Settings, forge: LocalForge) -> None:
    acme()
    with pytest.raises(CommandError, match="no credential for GitHub"):
        backfill("acme")
    use(settings, forge)
    with pytest.raises(CommandError, match="no organisation or user 'nobody'"):
        backfill("acme", "--owner", "nobody", "--dry-run")
    with pytest.raises(CommandError, match="AETERNA_GIT_HOSTS"):
        backfill("acme", "--url", "https://gitlab.example/a")
    Organization.objects.update(github_owner_id=5)
    with pytest.raises(CommandError, match="another owner"):
        backfill("acme")


def test_without_git_only_a_service_can_do_the_work(
    settings: Settings, forge: LocalForge, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use(settings, forge)
    acme()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandError, match=r"no git here .* --detach"):
        backfill("acme")
    assert not Backfill.objects.exists()
    assert "backfill " in backfill("acme", "--detach")
