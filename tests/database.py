"""A database with its tables, made once for a set of migrations and copied by each process.

pytest loads this module first (`-p` in pyproject.toml): the settings start PostgreSQL.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from scripts.local_service import ROOT, Service
from tests.npm import BUILD

TEMPLATE = "AETERNA_TEST_DATABASE"  # the settings of the tests read it, too
# What its tables depend on, and the version of PostgreSQL.
_SOURCES = ("central/**/migrations/*.py", "central/settings/*.py", "requirements/dev.txt")
# Beside the embedded service's, that of the tests with its name and all apps, ready for each.
_OF_TESTS = """
import subprocess, sys, django
django.setup()
from django.conf import settings
from django.db import connection
from central.runtime.postgres import opened_postgres
connection.creation.create_test_db(verbosity=0)
connection.close()
opened_postgres(settings.DATA_DIR / "postgres").stop()
subprocess.run(["cp", "-a", settings.DATA_DIR / "postgres", sys.argv[1]], check=True)
"""


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, object, object]:
    """The process that starts others has no PostgreSQL; one alone copies the template, if any."""
    options = early_config.known_args_namespace
    if "PYTEST_XDIST_WORKER" not in os.environ:
        if getattr(options, "numprocesses", None) and not options.usepdb:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("DJANGO_SETTINGS_MODULE", "central.settings.static")
                return (yield)
        if TEMPLATE not in os.environ and (template := _template()).exists():
            os.environ[TEMPLATE] = str(template)
    return (yield)


def use_template() -> None:
    """Make the one that the processes that this one starts copy, if it is not there yet."""
    template = _template()
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "database.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not template.exists():
            _make(template.parent)
    os.environ[TEMPLATE] = str(template)


def _template() -> Path:
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(path for pattern in _SOURCES for path in ROOT.glob(pattern)):
        digest.update(path.read_bytes())
    return BUILD / f"database-{digest.hexdigest()[:16]}" / "postgres"


def _make(directory: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="aeterna-test-database-") as made:
        path = Path(made)
        path.chmod(0o711)  # as root, PostgreSQL is another user
        Service(path / "data").manage("migrate", "--verbosity", "0")  # and stops PostgreSQL
        half_made = Path(tempfile.mkdtemp(dir=BUILD))
        subprocess.run(["cp", "-a", path / "data" / "postgres", half_made], check=True)
        settings = {"DJANGO_SETTINGS_MODULE": "central.settings.test"}
        subprocess.run(
            [sys.executable, "-c", _OF_TESTS, half_made / "tests"],
            cwd=ROOT,
            env={**os.environ, **settings},
            check=True,
        )
        for copy in half_made.iterdir():
            with (copy / "postgresql.conf").open("a") as configuration:
                configuration.write("fsync = off\nfull_page_writes = off\n")  # no test cuts power
        half_made.rename(directory)


def copy_template(data_dir: Path) -> None:
    """Let the embedded service of an absent `data_dir` find its tables; it makes its own keys.

    Does nothing in a session that has no template.
    """
    if template := os.environ.get(TEMPLATE):
        data_dir.mkdir(mode=0o700)
        subprocess.run(["cp", "-a", template, data_dir / "postgres"], check=True)
