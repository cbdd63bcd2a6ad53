"""The script that starts the engine: an error ends it before it does more."""

import os
import subprocess
from pathlib import Path

from tests.deploy.engine.docker_engine import SCRIPT


def test_an_engine_that_has_no_root_of_its_own_never_asks_the_machine_s(tmp_path: Path) -> None:
    """The engine of the machine would have lost its containers and volumes as if left behind."""
    programs = tmp_path / "programs"
    programs.mkdir()
    asked = tmp_path / "asked"
    for name in ("docker", "dockerd"):
        program = programs / name
        program.write_text(f"#!/bin/sh\necho {name} >>{asked}\n")
        program.chmod(0o755)

    done = subprocess.run(
        [SCRIPT, "run", tmp_path / "engine"],
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode
    assert "ready" not in done.stdout
    assert not (tmp_path / "engine" / "log").exists()
    assert not asked.exists()
