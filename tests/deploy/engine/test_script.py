"""The script that starts the engine: an error ends it before it does more."""

import os
import subprocess
from pathlib import Path

from tests.deploy.engine.docker_engine import SCRIPT


def make_programs(directory: Path, **scripts: str) -> Path:
    """A directory of programs, each with its line of shell."""
    directory.mkdir()
    for name, line in scripts.items():
        program = directory / name
        program.write_text(f"#!/bin/sh\n{line}\n")
        program.chmod(0o755)
    return directory


def run_with(programs: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command that finds these programs before those of the machine."""
    return subprocess.run(
        command,
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_engine_that_has_no_root_of_its_own_never_asks_the_machine_s(tmp_path: Path) -> None:
    """The engine of the machine would have lost its containers and volumes as if left behind."""
    asked = tmp_path / "asked"
    asks = {name: f"echo {name} >>{asked}" for name in ("docker", "dockerd")}
    programs = make_programs(tmp_path / "programs", **asks)

    done = run_with(programs, SCRIPT, "run", tmp_path / "engine")

    assert done.returncode
    assert "ready" not in done.stdout
    assert not (tmp_path / "engine" / "log").exists()
    assert not asked.exists()


def test_a_daemon_that_never_answers_is_no_engine(tmp_path: Path) -> None:
    """Here without a root of its own: all of the script but for that, and its last line."""
    *functions, last = SCRIPT.read_text().splitlines()
    assert last.startswith("dispatch; exit")
    script = tmp_path / "engine.sh"
    script.write_text("\n".join([*functions, "enter_root() { :; }", "run"]))
    asked = tmp_path / "asked"
    programs = make_programs(
        tmp_path / "programs",
        docker=f"echo $1 >>{asked}; echo no daemon >&2; exit 1",
        dockerd="exec tail -f /dev/null",
        sleep="true",  # so that 120 tries are soon over
    )

    alone = ("unshare", "--pid", "--fork", "--kill-child=SIGKILL")
    done = run_with(programs, *alone, "bash", script, "run", tmp_path)

    assert done.returncode
    assert done.stdout == ""
    assert "no daemon" in done.stderr
    assert "dockerd runs but has not answered" in done.stderr
    assert set(asked.read_text().split()) == {"version"}
