"""A database with its tables, made once for a set of migrations and copied by each process."""

import fcntl
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from scripts.local_service import ROOT, Service
from tests.npm import BUILD

TEMPLATE = "AETERNA_TEST_DATABASE"  # the settings of the tests read it, too
# What its tables depend on, and the version of PostgreSQL. What else differs, each copy migrates.
_SOURCES = ("central/**/migrations/*.py", "requirements/dev.txt")


def use_template() -> None:
    """Make the one that this process and those that it starts copy, if it is not there yet."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(path for pattern in _SOURCES for path in ROOT.glob(pattern)):
        digest.update(path.read_bytes())
    directory = BUILD / f"database-{digest.hexdigest()[:16]}"
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "database.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not directory.exists():
            _make(directory)
    os.environ[TEMPLATE] = str(directory / "postgres")


def _make(directory: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="aeterna-test-database-") as made:
        path = Path(made)
        path.chmod(0o711)  # as root, PostgreSQL is another user
        Service(path / "data").manage("migrate", "--verbosity", "0")  # and stops PostgreSQL
        with (path / "data" / "postgres" / "postgresql.conf").open("a") as configuration:
            configuration.write("fsync = off\nfull_page_writes = off\n")  # no test cuts the power
        half_made = Path(tempfile.mkdtemp(dir=BUILD))
        subprocess.run(["cp", "-a", path / "data" / "postgres", half_made], check=True)
        half_made.rename(directory)


def copy_template(data_dir: Path) -> None:
    """Let the embedded service of an absent `data_dir` find its tables; it makes its own keys.

    Does nothing in a session that has no template.
    """
    if template := os.environ.get(TEMPLATE):
        data_dir.mkdir(mode=0o700)
        subprocess.run(["cp", "-a", template, data_dir / "postgres"], check=True)
