"""`codesearch` in a process of its own, as a person starts it."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.local_service import clean_environment

PROGRAM = [sys.executable, "-m", "aeterna_code_search.cli"]


def codesearch(
    *arguments: str | Path, directory: Path, environ: Mapping[str, str], text: bool = True
) -> subprocess.CompletedProcess[Any]:
    """Run it to its end in `directory`; of the product's variables only `environ` is set.

    Without `text`, output is bytes.
    """
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        cwd=directory,
        env=clean_environment(environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=text,
        timeout=120,
        check=False,
    )
