"""Management commands start with what they need, and are refused wrong settings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands

from central.extensions import added

ROOT = Path(__file__).resolve().parents[2]
OF_INDEX = {  # they read or write a whole index, which takes longer than to import for it
    "backfill",
    "backup",
    "dump_index",
    "migrate_vectors",
    "purge_organization",
    "reconcile",
    "restore",
}
OURS = {name for name, app in get_commands().items() if str(app).startswith("central.")}
HEAVY = (
    "central.urls",
    "central.web.views_code",
    "celery",
    "kombu",
    "drf_spectacular.views",
    "duckdb",
    "jwt",
    "limits",
    "mcp",
    "numpy",
    "opentelemetry",
    "prometheus_client",
    "qdrant_client",
    "rest_framework.views",
    "unfold.admin",
    "yaml",
)
# What a command imports is what `manage.py` has imported when it calls it.
LOADING = f"""
import sys
import django
from django.core.checks import run_checks
from django.core.management import load_command_class, get_commands
django.setup()
for name in sys.argv[1:]:
    command = load_command_class(get_commands()[name], name)
    run_checks(tags=command.requires_system_checks)
print(*sorted({set(HEAVY)!r} & set(sys.modules)))
"""


def run_python(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "central.settings.static"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip()


def test_commands_import_neither_pages_nor_libraries_of_the_index() -> None:
    names = sorted(OURS - OF_INDEX)
    assert len(names) > 12
    assert run_python(LOADING, *names) == ""


def test_the_checks_of_a_deployment_look_at_routes_and_admins() -> None:
    code = "import sys, django; django.setup(); from django.core.checks import run_checks\n"
    code += "run_checks(); print({'central.urls', 'central.ingest.admin'} <= set(sys.modules))"
    assert run_python(code) == "True"


@pytest.mark.parametrize(
    ("variable", "value", "code"),
    [
        ("VECTOR_STORE_URL", "shelf:books", "aeterna.E001"),
        ("AETERNA_SWEEP_SECONDS", "0", "aeterna.E002"),
        ("CODESEARCH_EMBEDDER_PROVIDER", "unknown", "aeterna.E006"),
    ],
)
def test_wrong_settings_stop_every_command_of_ours(variable: str, value: str, code: str) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "create_organization", "acme"],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "central.settings.static", variable: value},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert code in done.stderr


def test_what_apps_add_is_there() -> None:
    """Paths are no imports: nothing else finds a wrong one before it is used."""
    for attribute in ("collectors", "deletions", "exports", "projections"):
        assert added(attribute)
