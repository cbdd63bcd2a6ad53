"""`codesearch` in a process of its own, as a person starts it."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from scripts.local_service import clean_environment

PROGRAM = [sys.executable, "-m", "cli"]


def codesearch(
    *arguments: str | Path, directory: Path, environ: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run it to its end in `directory`; of the product's variables only `environ` is set."""
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        cwd=directory,
        env=clean_environment(environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
