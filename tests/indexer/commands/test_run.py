"""What a run tells GitHub's runner: summary, outputs and annotations, by its real process."""

import html
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.indexer.central import TOKEN, StandIn
from tests.indexer.repositories import Sandbox

FETCH_DEPTH = "%0A- uses: actions/checkout@…%0A  with:%0A    fetch-depth: 0"


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox(tmp_path / "shop")
    sandbox.commit("first", {"a.py": "def a():\n    return 1\n", "b.bin": b"\0"})
    return sandbox


@dataclass
class Step:
    """A step of a job, as it ended."""

    returncode: int
    stdout: str
    stderr: str
    summary: str
    outputs: dict[str, str]

    @property
    def annotations(self) -> list[str]:
        """The workflow commands, as they stand."""
        return [line for line in self.stderr.splitlines() if line.startswith("::")]


def step(central: StandIn, sandbox: Sandbox, *arguments: str, **changes: str) -> Step:
    """Run the command in a job of its own."""
    summary, output = (sandbox.path.parent / name for name in ("summary", "output"))
    for file in (summary, output):
        file.write_text("")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    done = subprocess.run(
        [sys.executable, "-m", "indexer", "run", "--path", str(sandbox.path), *arguments],
        env={
            **kept,
            "AETERNA_URL": central.url,
            "AETERNA_TOKEN": TOKEN,
            "AETERNA_ORGANIZATION": "acme",
            "AETERNA_RETRY_SECONDS": "0",
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_OUTPUT": str(output),
            **changes,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    lines = output.read_text().splitlines()
    return Step(
        returncode=done.returncode,
        stdout=done.stdout,
        stderr=done.stderr,
        summary=summary.read_text(),
        outputs={
            name.partition("<<")[0]: value
            for name, value in zip(lines[::3], lines[1::3], strict=True)
        },
    )


def test_a_run_has_a_summary_and_outputs_and_nothing_to_complain_of(
    central: StandIn, sandbox: Sandbox
) -> None:
    done = step(central, sandbox, "--json")
    assert done.returncode == 0
    assert done.summary.startswith("### Code index: <code>shop</code>\n\n**Full run** of ")
    assert "| python | 1 |" in done.summary
    assert "| <code>binary</code> | 1 |" in done.summary
    assert done.outputs == {
        "mode": "full",
        "reason": "first_index",
        "files-changed": "1",
        "chunks": "1",
        "run-id": "run-1",
        "last-indexed-commit": sandbox.git("rev-parse", "HEAD"),
    }
    assert done.annotations == []
    report = json.loads(done.stdout)
    assert (report["languages"], report["skipped"]) == ({"python": 1}, {"binary": 1})


def test_an_address_of_qdrant_where_direct_uploads_are_off_is_told_and_no_error(
    central: StandIn, sandbox: Sandbox
) -> None:
    detail = "Direct uploads are off for this organisation."
    central.failures = [(409, {"code": "direct_not_available", "detail": detail}, {})]
    done = step(central, sandbox, "--json", QDRANT_URL="http://qdrant:6333")
    assert done.returncode == 0
    assert json.loads(done.stdout)["vectors"] == "direct_refused"
    assert done.annotations == []
    for told in (done.stderr, html.unescape(done.summary)):
        assert "QDRANT_URL asked for direct uploads" in told
        assert detail.removesuffix(".") in told


def test_a_checkout_without_history_is_warned_of_with_the_line_to_write(
    central: StandIn, sandbox: Sandbox, tmp_path: Path
) -> None:
    step(central, sandbox)
    sandbox.commit("second", {"a.py": "def a():\n    return 2\n", "b.bin": None})
    done = step(central, sandbox.clone_to(tmp_path / "job", "--depth=1"), "--project", "shop")
    assert done.outputs["mode"] == "incremental"
    assert done.outputs["files-changed"] == "2", "one is written, one removed"
    [warning] = done.annotations
    assert warning.startswith("::warning title=The checkout lacks history::")
    assert warning.endswith(FETCH_DEPTH)


def test_history_that_cannot_be_fetched_is_an_error_with_the_line_to_write(
    central: StandIn, sandbox: Sandbox, tmp_path: Path
) -> None:
    step(central, sandbox)
    sandbox.commit("second", {"a.py": "def a():\n    return 2\n"})
    clone = sandbox.clone_to(tmp_path / "job", "--depth=1")
    shutil.rmtree(sandbox.path)
    done = step(central, clone, "--project", "shop")
    assert done.returncode == 3
    [error] = done.annotations
    assert error.startswith("::error title=The checkout lacks history::")
    assert error.endswith(FETCH_DEPTH)
    assert "Exit code 3: not indexed. Run <code>run&#45;2</code>." in done.summary
    assert done.outputs == {"run-id": "run-2"}
    assert central.abandoned == ["cancelled"]


def test_a_job_that_is_run_again_after_a_newer_one_is_told_so(
    central: StandIn, sandbox: Sandbox, tmp_path: Path
) -> None:
    old = sandbox.clone_to(tmp_path / "job")
    newest = sandbox.commit("second", {"a.py": "def a():\n    return 2\n"})
    step(central, sandbox)
    done = step(central, old, "--project", "shop")
    assert done.returncode == 0
    assert done.outputs["reason"] == "superseded"
    assert done.outputs["last-indexed-commit"] == newest
    assert len(done.summary.splitlines()) == 2
    [notice] = done.annotations
    assert notice.startswith("::notice title=Nothing to do::")


def test_many_files_over_the_limit_are_warned_of(central: StandIn, sandbox: Sandbox) -> None:
    large: dict[str, str | bytes | None] = {f"m{n}.py": "large = 1\n" for n in range(10)}
    sandbox.commit("large", {".codesearch.toml": "[index]\nmax_file_bytes = 5\n", **large})
    [warning] = step(central, sandbox).annotations
    assert warning.startswith("::warning title=Many files are over the limits")
    assert "max_file_bytes" in warning


@pytest.mark.parametrize(
    ("changes", "code", "title"),
    [
        ({"AETERNA_TOKEN": "wrong-secret"}, 5, "The service does not accept the credential"),
        ({"AETERNA_TOKEN": ""}, 2, "A setting is missing or invalid"),
        ({"AETERNA_URL": "http://127.0.0.1:9"}, 4, "The service did not answer"),
    ],
)
def test_an_error_is_an_annotation_and_a_summary_that_say_what_to_change(
    central: StandIn, sandbox: Sandbox, changes: dict[str, str], code: int, title: str
) -> None:
    done = step(central, sandbox, "--json", **changes)
    assert done.returncode == code
    [error] = done.annotations
    assert error.startswith(f"::error title={title}::")
    assert "AETERNA_" in error
    assert done.summary.startswith(f"### Code index failed: {title}\n")
    assert f"Exit code {code}: " in done.summary
    assert (done.stdout, done.outputs) == ("", {})
    assert "wrong-secret" not in done.stderr + done.summary


def test_an_answer_of_the_service_is_no_command(central: StandIn, sandbox: Sandbox) -> None:
    central.failures = [(400, {"code": "odd", "detail": "no\n::notice::owned ##[group]"}, {})]
    done = step(central, sandbox)
    assert done.returncode == 5
    assert [line.partition(" ")[0] for line in done.annotations] == ["::error"]
    assert ": the service refused (HTTP 400, odd): no ::notice::owned ## [group]" in done.stderr
