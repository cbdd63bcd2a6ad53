"""The action's scripts, and what its definition lets into them."""

import subprocess
import sys
from pathlib import Path

from ruamel.yaml import YAML

from scripts.local_service import ROOT

ACTION = ROOT / "action"
SHELLCHECK = Path(sys.executable).parent / "shellcheck"


def complaints(*scripts: Path) -> str:
    done = subprocess.run([SHELLCHECK, *scripts], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_shellcheck_finds_nothing() -> None:
    assert complaints(*sorted(ACTION.glob("*.sh"))) == ""


def test_shellcheck_would_find_a_value_that_is_split(tmp_path: Path) -> None:
    changed = tmp_path / "run.sh"
    changed.write_text((ACTION / "run.sh").read_text().replace('"$COMMAND"', "$COMMAND"))

    assert "SC2086" in complaints(changed)


def test_no_expression_stands_in_a_command() -> None:
    steps = YAML(typ="safe", pure=True).load(ACTION / "action.yml")["runs"]["steps"]

    commands = [step["run"] for step in steps if "run" in step]

    assert all(command.startswith("exec bash ") and "${{" not in command for command in commands)
