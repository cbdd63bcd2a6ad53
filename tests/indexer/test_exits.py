"""What a process clears away that ends at once."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.local_service import clean_environment


@pytest.mark.parametrize("made", ["", "; from multiprocessing.util import get_temp_dir as d; d()"])
def test_nothing_is_left_and_nothing_is_made_for_it(tmp_path: Path, made: str) -> None:
    program = (
        f"import os, tempfile, multiprocessing.forkserver{made}\n"
        "from indexer.exits import cleanup\n"
        "def full(*_, **__): raise OSError(28, 'No space left on device')\n"
        "tempfile.mkdtemp = full\n"
        "cleanup()\n"
        "os._exit(0)"
    )
    subprocess.run(
        [sys.executable, "-c", program], env=clean_environment({"TMPDIR": str(tmp_path)}),
        check=True,
    )  # fmt: skip
    assert list(tmp_path.iterdir()) == []
