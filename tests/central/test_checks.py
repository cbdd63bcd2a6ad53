"""`check --deploy` passes with the settings of production, and names what is wrong with others."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.checks import run_checks
from pytest_django import Settings

from central.settings.backfill import BackfillSettings
from central.settings.services import Rates

ROOT = Path(__file__).resolve().parents[2]


def found(*, deploy: bool = False) -> dict[str, str]:
    checks = run_checks(include_deployment_checks=deploy)
    return {str(check.id): check.msg for check in checks if str(check.id).startswith("aeterna")}


def test_the_settings_of_production_pass_every_deployment_check(tmp_path: Path) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "central.settings.production",
        "SECRET_KEY": "".join(chr(33 + 7 * n % 90) for n in range(64)),
        "DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none",
        "VECTOR_STORE_URL": "postgresql:",
        "CELERY_BROKER_URL": "redis://127.0.0.1:9/0",
        "AETERNA_PUBLIC_URL": "https://code.example",
        "AETERNA_DATA_DIR": str(tmp_path),
    }
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("rate", ["600", "many/minute", "0/minute", ""])
def test_a_rate_that_cannot_be_counted_is_named(settings: Settings, rate: str) -> None:
    settings.RATES = Rates(search=rate, index="off")
    assert "AETERNA_RATE_SEARCH" in found()["aeterna.E010"]


def test_where_a_worker_cannot_listen_is_named(settings: Settings) -> None:
    settings.WORKER_METRICS_BIND = "9464"
    assert "'9464' is no address" in found()["aeterna.E011"]


@pytest.mark.parametrize("url", ["http://code.example", None])
def test_a_public_address_without_tls_is_named(settings: Settings, url: str | None) -> None:
    settings.PUBLIC_URL = url
    assert "aeterna.W010" in found(deploy=True)
    assert "aeterna.W010" not in found()


def test_a_public_address_with_tls_is_fine(settings: Settings) -> None:
    settings.PUBLIC_URL = "https://code.example"
    assert "aeterna.W010" not in found(deploy=True)


@pytest.mark.parametrize(
    ("server", "issuer", "is_one"),
    [
        ("https://github.com", "https://token.actions.githubusercontent.com", True),
        ("https://git.example", "https://git.example/_services/token", True),
        ("https://git.example", "https://token.actions.githubusercontent.com", False),
        ("https://github.com", "https://git.example/_services/token", False),
    ],
)
def test_two_forges_whose_ids_would_be_one_are_named(
    settings: Settings, server: str, issuer: str, is_one: bool
) -> None:
    settings.PUBLIC_URL, settings.GITHUB_OIDC_ISSUER = "https://code.example", issuer
    settings.BACKFILL = BackfillSettings(github_url=server, github_token="x")
    assert ("aeterna.E012" not in found()) is is_one
    settings.BACKFILL = BackfillSettings(github_url=server)  # no backfill of GitHub's
    assert "aeterna.E012" not in found()
