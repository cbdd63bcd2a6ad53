"""A database with its tables, made once for all processes of a session and copied by each."""

import os
import subprocess
import tempfile
from pathlib import Path

from scripts.local_service import Service

TEMPLATE = "AETERNA_TEST_DATABASE"  # the settings of the tests read it, too


def make_template() -> tempfile.TemporaryDirectory[str]:
    """Make the one that this process and those that it starts copy, until it is cleaned up."""
    directory = tempfile.TemporaryDirectory(prefix="aeterna-test-database-")
    path = Path(directory.name)
    path.chmod(0o711)  # as root, PostgreSQL is another user
    Service(path / "data").manage("migrate", "--verbosity", "0")  # and stops PostgreSQL
    with (path / "data" / "postgres" / "postgresql.conf").open("a") as configuration:
        configuration.write("fsync = off\nfull_page_writes = off\n")  # no test cuts the power
    os.environ[TEMPLATE] = str(path / "data" / "postgres")
    return directory


def copy_template(data_dir: Path) -> None:
    """Let the embedded service of an absent `data_dir` find its tables; it makes its own keys.

    Does nothing in a session that has no template.
    """
    if template := os.environ.get(TEMPLATE):
        data_dir.mkdir(mode=0o700)
        subprocess.run(["cp", "-a", template, data_dir / "postgres"], check=True)
