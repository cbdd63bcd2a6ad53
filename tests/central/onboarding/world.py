"""A stand-in of GitHub as this process's settings name it, and rows of the queue."""

import os
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from central.onboarding.models import Backfill, BackfillRepository, ListState
from central.settings.backfill import BackfillSettings
from central.tenancy.models import Organization
from tests.local_forge import APP_ID, OWNER, OWNER_ID, LocalForge


def use(settings: Settings, forge: LocalForge, *, app: bool = False, **changes: Any) -> None:
    """Let the service use the forge, by its token or as an App."""
    credential = (
        {"app_id": APP_ID, "app_private_key": forge.app_pem()}
        if app
        else {"github_token": forge.token}
    )
    settings.BACKFILL = replace(
        BackfillSettings(
            github_url=forge.url,
            github_api_url=forge.api_url,
            networks=(ip_network("127.0.0.0/8"),),
        ),
        **credential,
        **changes,
    )


def acme() -> Organization:
    """An organisation whose owner at GitHub is known."""
    found, _ = Organization.objects.get_or_create(
        slug="acme", defaults={"github_owner_id": OWNER_ID}
    )
    return found


def backfill_of(organization: Organization, state: str = ListState.LISTED) -> Backfill:
    """A backfill of an organisation."""
    return Backfill.objects.create(
        organization=organization,
        owner=OWNER,
        owner_id=OWNER_ID,
        state=state,
        requested_by="test",
    )


_numbers = iter(range(1_000, 10**9))  # tests name lower ones


def queued(backfill: Backfill, name: str = "", **members: Any) -> BackfillRepository:
    """A repository in the queue."""
    number, now = next(_numbers), timezone.now()
    plain: dict[str, Any] = {
        "organization": backfill.organization,
        "backfill": backfill,
        "forge_key": number,
        "name": name or f"r{number}",
        "requested_at": now,
        "due_at": now,
    }
    return BackfillRepository.objects.create(**(plain | members))


def stand_in_for_git(directory: Path, monkeypatch: pytest.MonkeyPatch, says: str) -> None:
    """A git whose every command fails, with a message as `printf` writes it."""
    directory.mkdir()
    (directory / "git").write_text(f"#!/bin/sh\nprintf '{says}' >&2\nexit 128\n")
    (directory / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{directory}:{os.environ['PATH']}")
