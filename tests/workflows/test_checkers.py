"""zizmor, GitHub's schemas and GitHub's parser find nothing; and each would find something."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workflows.files import ACTION, ROOT, WORKFLOWS, short_name, workflow_text
from tests.workflows.parser import parse_errors

BIN = Path(sys.executable).parent
SETTINGS = ROOT / "zizmor.yml"
DEPENDABOT = ROOT / ".github" / "dependabot.yml"
TEMPLATE = workflow_text(ROOT / "workflows" / "templates" / "code-index.yml")


def check(program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BIN / program, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def zizmor(*files: Path) -> subprocess.CompletedProcess[str]:
    return check("zizmor", "--offline", "--pedantic", "--config", SETTINGS, *files)


def schema(name: str, *files: Path) -> subprocess.CompletedProcess[str]:
    return check("check-jsonschema", "--builtin-schema", f"vendor.{name}", *files)


def test_zizmor_finds_nothing() -> None:
    done = zizmor(ACTION, *WORKFLOWS, DEPENDABOT)

    assert done.returncode == 0, done.stdout
    assert done.stderr.count("completed") == len({ACTION, *WORKFLOWS, DEPENDABOT})


def test_zizmor_would_find_an_action_that_is_not_pinned(tmp_path: Path) -> None:
    changed = tmp_path / "code-index.yml"
    text = workflow_text(ROOT / "workflows" / "code-index.yml")
    changed.write_text(re.sub(r"checkout@\w+ # ", "checkout@", text))

    assert "unpinned-uses" in zizmor(changed).stdout


def test_what_zizmor_is_told_to_ignore_is_explained() -> None:
    """In the settings by the comment above, in a file by words behind the rule's name."""
    before = ""
    for line in SETTINGS.read_text().splitlines():
        if re.match(r"\s*(- |aeterna/)", line):
            assert before.strip().startswith("# "), line
        before = line
    for path in (ACTION, *WORKFLOWS, DEPENDABOT):
        for rule in re.findall(r"zizmor: ignore.*", path.read_text()):
            assert re.fullmatch(r"zizmor: ignore\[[\w-]+\] \w.{10,}", rule), (path, rule)


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("github-workflows", WORKFLOWS),
        ("github-actions", [ACTION]),
        ("dependabot", [DEPENDABOT]),
    ],
)
def test_the_schemas_find_nothing(name: str, files: list[Path]) -> None:
    done = schema(name, *files)

    assert done.returncode == 0, done.stdout


def test_the_schemas_would_find_a_wrong_key(tmp_path: Path) -> None:
    changed = tmp_path / "code-index.yml"
    changed.write_text(TEMPLATE.replace("permissions: {}", "permission: {}"))

    assert "permission" in schema("github-workflows", changed).stdout


@pytest.mark.system("node", "npm")
def test_githubs_parser_finds_nothing() -> None:
    files = {short_name(path): workflow_text(path) for path in (ACTION, *WORKFLOWS)}

    assert {path: errors for path, errors in parse_errors(files).items() if errors} == {}


@pytest.mark.system("node", "npm")
@pytest.mark.parametrize(
    ("text", "error"),
    [
        (TEMPLATE.replace("owner:", "ownr:"), "ownr"),
        (TEMPLATE.replace("AETERNA_TOKEN:", "AETERNA_TOKN:"), "AETERNA_TOKN"),
        (TEMPLATE.replace("inputs.mode", "input.mode"), "'input'"),
        (TEMPLATE.replace("code-index.yml@", "code-indx.yml@"), "reusable workflow"),
        (TEMPLATE.replace("17 3 * * *", "17 33 * * *"), "cron"),
    ],
)
def test_githubs_parser_would_find_a_wrong_call(text: str, error: str) -> None:
    [found] = parse_errors({"caller.yml": text}).values()

    assert error in " ".join(found)
