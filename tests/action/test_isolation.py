"""What neither a repository nor an input can make a job do."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from scripts.local_service import ROOT
from tests.action.forge import JOB_TOKEN
from tests.action.harness import Runner
from tests.action.stand_ins import Cache
from tests.action.workplace import UNREACHABLE, Workplace

pytestmark = pytest.mark.system("node", "npm", "bash", "git")

SOURCE = {"src/app.py": "def main():\n    pass\n"}
# What would be imported from the working directory, by the indexer or by what installs it.
MODULES = (
    *("json.py", "numpy.py", "httpx.py", "hashlib.py", "sitecustomize.py", "usercustomize.py"),
    *("indexer/__init__.py", "indexer/__main__.py", "indexer/pipeline/worker_process.py"),
    *("multiprocessing/__init__.py", "ensurepip.py", "venv.py", "pip/__init__.py"),
)


def copy_action(directory: Path) -> Path:
    """Another checkout of the action."""
    for name in ("action", "indexer", "requirements"):
        shutil.copytree(ROOT / name, directory / name, ignore=shutil.ignore_patterns("__pycache__"))
    return directory / "action"


@pytest.fixture
def elsewhere(workplace: Workplace, tmp_path: Path) -> Runner:
    """A runner with another checkout of the action, and the kept environment."""
    return workplace.runner.with_action(copy_action(tmp_path / "_actions"))


# Files of the repository


def test_files_of_a_repository_are_never_run(
    workplace: Workplace, elsewhere: Runner, tmp_path: Path
) -> None:
    """And the checkout of the action stays as it is."""
    before = sorted((tmp_path / "_actions").rglob("*"))
    trap = tmp_path / "sprung"
    code = f"open({str(trap)!r}, 'a').write(__file__)\n"
    remote = workplace.remote("hostile", dict.fromkeys(MODULES, code) | SOURCE)
    workspace = workplace.check_out(remote)

    result = workplace.run(
        remote, workspace, runner=elsewhere, environment={"PYTHONPATH": str(workspace)}
    )

    assert not trap.exists(), trap.read_text()
    assert result.conclusion == "success", result.log
    assert result.outputs["files-changed"] == str(len(MODULES) + 1)
    assert sorted((tmp_path / "_actions").rglob("*")) == before


def test_files_of_a_repository_are_not_run_by_the_installation(
    workplace: Workplace, tmp_path: Path
) -> None:
    """Nor is an environment used of which a part is missing; here it cannot be made anew."""
    trap = tmp_path / "sprung"
    code = f"open({str(trap)!r}, 'a').write(__file__)\n"
    remote = workplace.remote("hostile-at-installation", dict.fromkeys(MODULES, code))
    workspace = workplace.check_out(remote)
    runner = workplace.runner.with_stand_in("actions/cache", HalfACache(tmp_path))
    environment = {**UNREACHABLE, "PYTHONPATH": str(workspace)}

    result = workplace.run(remote, workspace, runner=runner, environment=environment)

    assert not trap.exists(), trap.read_text()
    assert result.steps["install"].outcome == "failure"
    assert result.steps["run"].outcome == "skipped"
    assert "PIP_INDEX_URL" in " ".join(result.annotations("error"))


class HalfACache(Cache):
    """What is left where a restoration broke off."""

    def main(self, given: Mapping[str, str]) -> Mapping[str, str]:
        """Restore Python and the stamp, and nothing else."""
        venv = Path(given["path"])
        (venv / "bin").mkdir(parents=True)
        (venv / "bin" / "python").symlink_to(shutil.which("python3") or "")
        (venv / "files").write_text("7000\n")
        return {"cache-hit": "true"}


# Inputs


@pytest.mark.parametrize("name", ["working-directory", "mode", "command", "organization"])
def test_an_input_is_never_a_program(workplace: Workplace, tmp_path: Path, name: str) -> None:
    trap = tmp_path / "sprung"
    remote = workplace.remote(f"input-{name}", SOURCE)
    value = f"x'\"; touch {trap}; $(touch {trap}) `touch {trap}` & | > {trap} #\n\\"

    result = workplace.run(remote, inputs={name: value})

    assert not trap.exists()
    assert result.conclusion == "failure"
    assert result.steps["run"].exit_code in {2, 5}


def test_a_project_may_have_any_name(workplace: Workplace, tmp_path: Path) -> None:
    """Central decides which names there are; none is a program."""
    trap = tmp_path / "sprung"
    remote = workplace.remote("named", SOURCE)

    workplace.run(remote, inputs={"project": f"$(touch {trap})`touch {trap}`; touch {trap}"})

    assert not trap.exists()


def test_inputs_that_are_given_empty_are_as_if_not_given(workplace: Workplace) -> None:
    remote = workplace.remote("empty", SOURCE)
    names = ("command", "mode", "project", "working-directory", "ollama-url", "github-token")

    result = workplace.run(remote, inputs=dict.fromkeys(names, ""))

    assert result.conclusion == "success", result.log
    assert result.outputs["mode"] == "full"


def test_a_checkout_below_the_workspace_is_named_by_the_working_directory(
    workplace: Workplace, tmp_path: Path
) -> None:
    remote = workplace.remote("below", SOURCE)
    remote.check_out(tmp_path / "workspace" / "deep er" / "-repository")

    result = workplace.run(
        remote, tmp_path / "workspace", inputs={"working-directory": "deep er/-repository"}
    )

    assert result.conclusion == "success", result.log
    assert result.outputs["last-indexed-commit"] == remote.head()


def test_the_mode_is_the_inputs(workplace: Workplace) -> None:
    remote = workplace.remote("forced", SOURCE)

    result = workplace.run(remote, inputs={"mode": "force"})

    assert (result.outputs["mode"], result.outputs["reason"]) == ("force", "requested")


# Secrets


def test_a_secret_that_github_does_not_know_is_hidden(workplace: Workplace) -> None:
    """The runner shows a step's environment before it begins; all but the first is hidden."""
    remote = workplace.remote("hidden", SOURCE)
    unknown = {"openai-api-key": "sk-100%-literal", "qdrant-api-key": "one line\nand another"}

    result = workplace.run(remote, inputs=unknown)

    _, _, later = result.log.partition("install.sh")
    for line in ("sk-100%-literal", "one line", "and another", JOB_TOKEN):
        assert line not in later
        assert line not in result.raw


# The runner


def test_a_runner_without_python_is_told_what_to_add(workplace: Workplace, tmp_path: Path) -> None:
    remote = workplace.remote("no-python", SOURCE)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bash", "git"):
        (programs / name).symlink_to(shutil.which(name) or "")
    old = programs / "python3"
    old.write_text(f"#!{programs / 'bash'}\nexit 1\n")
    old.chmod(0o755)

    result = workplace.run(remote, environment={"PATH": str(programs)})

    assert result.conclusion == "failure"
    assert "actions/setup-python" in " ".join(result.annotations("error"))
    forgiven = workplace.run(
        remote, inputs={"fail-on-error": "false"}, environment={"PATH": str(programs)}
    )
    assert forgiven.conclusion == "success"
    assert forgiven.steps["run"].outcome == "skipped"
