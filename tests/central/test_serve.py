"""How the embedded server starts and listens."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from django.core import checks
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import Settings
from structlog.testing import capture_logs

from central.corpus.backends import vector_store
from central.serve import CannotServeError, check_system, greeting, load_backends, prepare_database
from central.tenancy.models import Organization
from indexer.errors import StoreUnavailableError

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.django_db
def test_system_checks_are_passed_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    check_system()
    failure = checks.Error("This is wrong.", hint="Change it.")
    monkeypatch.setattr(checks.registry.registry, "registered_checks", {lambda **_: [failure]})
    with pytest.raises(CannotServeError, match=r"This is wrong[\s\S]*Change it"):
        check_system()


@pytest.mark.django_db
def test_a_process_that_may_not_migrate_says_which_migration_is_lacking(settings: Settings) -> None:
    settings.MIGRATES_AT_START = False
    prepare_database()
    ((app, newest),) = MigrationLoader(connection).graph.leaf_nodes("tenancy")
    MigrationRecorder(connection).record_unapplied(app, newest)
    with pytest.raises(CannotServeError, match=rf"manage.py migrate.*{app}.{newest}"):
        prepare_database()


@pytest.mark.django_db
def test_what_a_start_that_was_killed_left_out_is_made_by_the_next(settings: Settings) -> None:
    """Permissions, which are made after the last migration."""
    settings.MIGRATES_AT_START = True
    Permission.objects.filter(codename="view_organization").delete()
    prepare_database()
    assert Permission.objects.filter(codename="view_organization").exists()


@pytest.mark.django_db
def test_store_that_is_away_does_not_keep_the_server_from_starting(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    def away() -> None:
        raise StoreUnavailableError("Qdrant at store:6334 does not answer.")

    monkeypatch.setattr(vector_store(), "check", away)
    with pytest.raises(StoreUnavailableError):  # the one in this process has no other way back
        load_backends()
    settings.VECTOR_STORE_URL = "qdrant://store:6334"
    with capture_logs() as logs:
        load_backends()
    (entry,) = [one for one in logs if one["log_level"] == "error"]
    assert entry["event"] == "store_unavailable"
    assert "store:6334" in entry["error"]


@pytest.mark.django_db
def test_embedder_that_cannot_be_opened_does_not_keep_the_server_from_starting() -> None:
    Organization.objects.create(slug="acme", embedder="nobody/nothing/7")
    Organization.objects.create(slug="globex", embedder="nonsense")
    with capture_logs() as logs:
        load_backends()
    assert {entry["embedder"] for entry in logs if entry["log_level"] == "error"} == {
        "nobody/nothing/7",
        "nonsense",
    }


def test_commands_may_always_ask_by_the_loopback_address(tmp_path: Path) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "AETERNA_DATA_DIR": str(tmp_path),
        "AETERNA_ALLOWED_HOSTS": "code.example.com,fd00::5,[fd00::6]",
        "AETERNA_PUBLIC_URL": "http://[fd00::7]:8000",
        "SECRET_KEY": "k" * 50,
        "DATABASE_URL": "postgresql://localhost/none",
    }
    command = "from central.settings.embedded import ALLOWED_HOSTS; print(*ALLOWED_HOSTS)"
    hosts = subprocess.check_output(
        [sys.executable, "-c", command], cwd=ROOT, env=environment, text=True
    )
    assert hosts.split() == [
        *("127.0.0.1", "localhost", "[::1]"),
        *("code.example.com", "[fd00::5]", "[fd00::6]", "[fd00::7]"),
    ]


@pytest.mark.django_db
def test_a_container_names_what_is_reached_from_outside_and_what_it_has(
    settings: Settings,
) -> None:
    settings.BIND = "[::]:8000"
    settings.PUBLIC_URL = "https://code.example.com"
    said = greeting("entrypoint.sh", "http://127.0.0.1:8000")
    assert said.startswith("Aeterna Code Search listens at [::]:8000")
    assert "its public address is https://code.example.com\n" in said
    assert "entrypoint.sh manage create_token --organization acme" in said
    assert not {"127.0.0.1", ".venv", str(settings.DATA_DIR)} & set(said.split())
    settings.PUBLIC_URL = None
    assert "AETERNA_PUBLIC_URL" in greeting("entrypoint.sh", "http://127.0.0.1:8000")


@pytest.mark.django_db
def test_a_server_of_this_machine_names_its_address_and_its_data(settings: Settings) -> None:
    said = greeting("manage.py", "http://127.0.0.1:8000")
    assert f"is at http://127.0.0.1:8000, data in {settings.DATA_DIR}\n" in said
    assert "manage.py create_organization acme" in said
    Organization.objects.create(slug="acme")
    assert "create_organization" not in greeting("manage.py", "http://127.0.0.1:8000")
