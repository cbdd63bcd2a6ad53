"""The user that PostgreSQL runs as for root, as which it refuses to run."""

import os
import pwd
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Final

from django.core.exceptions import ImproperlyConfigured

NAME: Final = "pgserver"  # the wheel's
_SYSTEM: Final = "/usr/sbin:/sbin"  # root's PATH may lack them
_SECONDS: Final = 60


def require_own(directory: Path) -> None:
    """Refuse, as root, a directory of another user: the wheel would take half of it over."""
    owner = directory.stat().st_uid
    if os.geteuid() == 0 and owner not in {0, _uid_of(NAME)}:
        raise ImproperlyConfigured(
            f"{directory} belongs to the user with the id {owner}, whose index it is. Run this as "
            "that user, or set AETERNA_DATA_DIR to another directory."
        )


def ensure_user(name: str) -> None:
    """Create the user without a password or a shell unless it exists.

    It replaces the wheel's function, which finds `useradd` only in PATH. Raises
    ImproperlyConfigured with what to do.
    """
    if _uid_of(name) is not None:
        return
    command = ["useradd", "--system", "--user-group", "--shell", "/bin/false", name]
    try:
        program = shutil.which(command[0], path=_SYSTEM) or command[0]
        done = subprocess.run(  # noqa: S603 - a program of the system, and our own options
            [program, *command[1:]], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        failure = done.stderr.strip() if done.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as exc:
        failure = str(exc)
    if failure and _uid_of(name) is None:  # another process may have created it meanwhile
        raise ImproperlyConfigured(
            f"PostgreSQL does not run as root, and the user {name} that it would run as cannot be "
            f"created: {failure}. Create it (`{' '.join(command)}`), or run this as another user."
        )


def _uid_of(name: str) -> int | None:
    with suppress(KeyError):
        return pwd.getpwnam(name).pw_uid
    return None
