"""The action's scripts, and what its definition lets into them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
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


def pins(name: str) -> set[str]:
    text = (ROOT / "requirements" / name).read_text()
    return set(re.findall(r"^[\w.-]+==[^ ;]+", text, re.MULTILINE))


def installed(tmp_path: Path, **environ: str) -> list[str]:
    """The lock files that prepare.sh has installed with these inputs and variables."""
    output = tmp_path / "output"
    output.touch()
    given = dict.fromkeys(
        ("TOKEN", "OPENAI_API_KEY", "QDRANT_URL", "QDRANT_API_KEY", "FETCH_TOKEN"), ""
    )
    named = {"GITHUB_ACTION_PATH": str(ACTION), "GITHUB_OUTPUT": str(output), "RUNNER_OS": "Linux"}
    subprocess.run(
        ["bash", ACTION / "prepare.sh"],
        env={"PATH": os.environ["PATH"], "RUNNER_TEMP": str(tmp_path), **given, **named, **environ},
        check=True,
        capture_output=True,
    )
    lines = dict(line.split("=", 1) for line in output.read_text().splitlines())
    assert lines["venv"].endswith("venv" + "".join(sorted(extras(lines["requirements"]))))
    return lines["requirements"].split()


def extras(requirements: str) -> list[str]:
    return re.findall(r"indexer(-\w+)\.txt", requirements)


CORE, OPENAI, QDRANT = "indexer.txt", "indexer-openai.txt", "indexer-qdrant.txt"


@pytest.mark.parametrize(
    ("environ", "names"),
    [
        ({}, [CORE]),
        ({"OPENAI_API_KEY": "key"}, [CORE, OPENAI]),
        ({"OPENAI_API_KEY_FILE": "/run/key"}, [CORE, OPENAI]),
        ({"QDRANT_URL": "https://qdrant"}, [CORE, QDRANT]),
        ({"AETERNA_VECTORS": "direct"}, [CORE, QDRANT]),
        ({"QDRANT_URL": "https://qdrant", "AETERNA_VECTORS": "relay"}, [CORE]),
        ({"QDRANT_URL": "https://q", "OPENAI_API_KEY": "key"}, [CORE, OPENAI, QDRANT]),
    ],
)
def test_only_what_is_used_is_installed(
    tmp_path: Path, environ: dict[str, str], names: list[str]
) -> None:
    assert installed(tmp_path, **environ) == names


def test_neither_openai_nor_grpc_is_of_the_core_and_no_pin_contradicts_another() -> None:
    names = {pin.partition("==")[0] for pin in pins(CORE)}
    assert names.isdisjoint({"openai", "qdrant-client", "grpcio", "pydantic"})
    every = {pin for name in (CORE, OPENAI, QDRANT) for pin in pins(name)}
    twice = {pin.partition("==")[0] for pin in every}
    assert len(every) - len(twice) == len(pins(CORE)) - len(names)  # by version of Python
    assert every <= pins("central.txt")
