"""The README says what action.yml says, and its examples are workflows that GitHub takes."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from scripts.local_service import ROOT
from tests.workflows.files import ACTION, PROJECT, VERSION, WORKFLOWS, load_workflow, steps
from tests.workflows.parser import parse_errors

README = (ROOT / "action" / "README.md").read_text(encoding="utf-8")
DEFINITION = load_workflow(ACTION)
BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
EXAMPLES = [block for block in BLOCKS if block.startswith("name: ")]
COMMANDS = {"run", "impact", "comment"}


def table(heading: str, first: str) -> list[list[str]]:
    """The rows of the first table below a heading whose first column is `first`."""
    part = README.partition(f"\n## {heading}\n")[2].partition(f"\n| {first} |")[2]
    lines = part.partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def values(block: str) -> Any:
    return YAML(typ="safe", pure=True).load(block)


def own_steps(block: str) -> list[dict[str, Any]]:
    uses = f"{PROJECT}/action@v{VERSION}"
    return [step for step in steps(values(block)) if step.get("uses") == uses]


def test_the_table_of_inputs_is_that_of_the_action() -> None:
    def shown(default: object) -> str:
        return f"`{default}`" if default else ""

    assert table("Inputs", "input") == [
        [f"`{name}`", shown(str(one["default"])), one["description"]]
        for name, one in DEFINITION["inputs"].items()
    ]


def test_the_table_of_outputs_is_that_of_the_action() -> None:
    assert table("Outputs", "output") == [
        [f"`{name}`", one["description"]] for name, one in DEFINITION["outputs"].items()
    ]


def test_every_command_is_described_with_its_permissions() -> None:
    assert {row[0].strip("`") for row in table("Inputs", "command")} == COMMANDS
    permitted = {name for row in table("Permissions", "permission") for name in row[1].split(", ")}
    assert {name.strip("`") for name in permitted} == COMMANDS
    script = (ROOT / "action" / "run.sh").read_text()
    assert set(re.findall(r"^  (\w+)\) arguments=", script, re.MULTILINE)) == COMMANDS


def test_a_market_place_shows_what_it_is() -> None:
    assert DEFINITION["branding"] == {"icon": "search", "color": "purple"}
    assert len(DEFINITION["description"]) <= 125


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_an_example_uses_inputs_and_outputs_that_there_are(block: str) -> None:
    assert own_steps(block)
    for step in own_steps(block):
        assert step["with"].keys() <= DEFINITION["inputs"].keys()
    named = re.findall(r"steps\.\w+\.outputs\.([\w-]+)", block)
    assert set(named) <= DEFINITION["outputs"].keys()


@pytest.mark.system("node", "npm")
def test_githubs_parser_finds_nothing_in_the_examples() -> None:
    assert len(EXAMPLES) == 2
    files = {f"{number}.yml": block for number, block in enumerate(EXAMPLES)}
    assert {name: found for name, found in parse_errors(files).items() if found} == {}


def test_zizmor_finds_nothing_in_the_examples(tmp_path: Path) -> None:
    for number, block in enumerate(EXAMPLES):
        (tmp_path / f"{number}.yml").write_text(block)
    zizmor = Path(sys.executable).with_name("zizmor")
    done = subprocess.run(
        [zizmor, "--offline", "--config", ROOT / "zizmor.yml", *sorted(tmp_path.iterdir())],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_the_examples_pin_what_the_workflows_pin() -> None:
    pins = r"uses: ([\w-]+/[\w-]+@[0-9a-f]{40} # v[\d.]+)$"
    in_workflows = "\n".join(path.read_text() for path in WORKFLOWS)
    named = set(re.findall(pins, README, re.MULTILINE))
    assert named
    assert named <= set(re.findall(pins, in_workflows, re.MULTILINE))


def test_messages_in_troubleshooting_are_messages_of_the_product() -> None:
    source = "\n".join(
        re.sub(r"\\\n", "", path.read_text(encoding="utf-8"))
        for part in ("action", "indexer", "central/github", "central/tenancy")
        for path in sorted((ROOT / part).rglob("*.*"))
        if path.suffix in {".py", ".sh"}
    )
    quoted = [
        message
        for row in table("Troubleshooting", "symptom")
        for message in re.findall(r"`([^`]+)`", row[0])
    ]
    words = [re.sub(r"^AETERNA_(URL|TOKEN) is", "is", message) for message in quoted]
    assert [message for message in words if message not in source] == []
    assert len(quoted) > 10
