"""The command as it is run: a process, its streams and its exit code."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.__main__ import main
from indexer.exits import Exit
from indexer.records.files import SCIP
from tests.indexer.central import TOKEN, StandIn
from tests.indexer.repositories import Sandbox
from tests.indexer.scip.indexes import write_index


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox(tmp_path / "shop")
    sandbox.commit("first", {"a.py": "def a():\n    return 1\n"})
    return sandbox


def environment(central: StandIn, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    return {
        **kept,
        "AETERNA_URL": central.url,
        "AETERNA_TOKEN": TOKEN,
        "AETERNA_ORGANIZATION": "acme",
        "CI": "true",
        **more,
    }


def run(
    sandbox: Sandbox, environ: dict[str, str], *arguments: str
) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "indexer", "run", "--path", str(sandbox.path), *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)


def test_an_index_is_named_by_an_argument_or_the_environment(
    central: StandIn, sandbox: Sandbox
) -> None:
    central.orders = {"record_fields": [SCIP]}
    write_index(sandbox.path / "made.scip", {"a.ts": "«=f|f().»"}, sandbox.path)
    done = run(sandbox, environment(central), "--scip", "*.scip", "--json")
    assert json.loads(done.stdout)["scip"]["documents"] == 1
    done = run(
        sandbox, environment(central, AETERNA_SCIP="made.scip:lib\n", AETERNA_SCIP_COMMIT="0" * 40)
    )
    assert "SCIP: not used, the SCIP index is of 000000000000" in done.stdout
    done = run(sandbox, environment(central), "--scip", "none.scip")
    assert (done.returncode, "the SCIP index none.scip is no file in" in done.stderr) == (2, True)


def test_protobuf_is_not_imported_without_an_index() -> None:
    program = (
        "import sys, indexer.commands.run, indexer.pipeline.run, indexer.pipeline.scip\n"
        "sys.exit('google.protobuf' in sys.modules or 'indexer.scip.files' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_json_stands_alone_on_standard_output(
    central: StandIn, sandbox: Sandbox, tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    done = run(
        sandbox, environment(central, GITHUB_STEP_SUMMARY=str(summary),
        GITHUB_SERVER_URL="https://github.com", GITHUB_REPOSITORY="acme/shop"), "--json"
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["reason"] == "first_index"
    assert "mode: full, reason: first_index" in done.stderr
    assert summary.read_text().startswith("### Code index: <code>shop</code>")
    again = run(sandbox, environment(central))
    assert again.returncode == 0
    assert "nothing to do (up_to_date" in again.stdout


@pytest.mark.parametrize(
    ("changes", "arguments", "code", "says"),
    [
        ({"AETERNA_TOKEN": "wrong-secret"}, [], 5, "AETERNA_TOKEN"),
        ({"AETERNA_TOKEN": ""}, [], 2, "AETERNA_TOKEN"),
        ({"AETERNA_URL": "nowhere"}, [], 2, "AETERNA_URL"),
        ({}, ["--ref", "none"], 2, "refs/heads/none"),
        ({}, ["--mode", "half"], 2, "--mode"),
    ],
)
def test_errors_have_their_exit_code_and_name_what_to_change(
    central: StandIn,
    sandbox: Sandbox,
    changes: dict[str, str],
    arguments: list[str],
    code: int,
    says: str,
) -> None:
    done = run(sandbox, environment(central, GITHUB_ACTIONS="true", **changes), *arguments)
    assert done.returncode == code
    assert says in done.stderr
    assert done.stdout == ""
    assert "wrong-secret" not in done.stderr
    if "--mode" not in arguments:
        assert "::error title=" in done.stderr


def test_a_directory_without_a_repository_is_a_usage_error(
    central: StandIn, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "indexer", "run", "--path", str(tmp_path)]
    done = subprocess.run(
        command, env=environment(central), capture_output=True, text=True, check=False
    )
    assert (done.returncode, "--path" in done.stderr) == (2, True)


def test_an_error_ends_the_process_whatever_its_threads_still_wait_for(tmp_path: Path) -> None:
    program = (
        "import runpy, sys, threading\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "ThreadPoolExecutor(1).submit(threading.Event().wait, 60)\n"
        "runpy.run_module('indexer', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "run", "--path", tmp_path],
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == Exit.USAGE
    assert "error: " in done.stderr


def test_a_report_that_cannot_be_written_is_an_error(central: StandIn, sandbox: Sandbox) -> None:
    command = [sys.executable, "-m", "indexer", "run", "--path", str(sandbox.path)]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            command,
            env=environment(central, PYTHONUNBUFFERED=""),
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writer)
    assert done.returncode == Exit.USAGE
    assert b"error: the report cannot be written: Broken pipe" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_gives_the_run_up(
    central: StandIn, sandbox: Sandbox, sent: signal.Signals, code: int
) -> None:
    command = [sys.executable, "-m", "indexer", "run", "--path", str(sandbox.path)]
    central.hold_tree = True
    process = subprocess.Popen(
        command, env=environment(central), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert central.tree_came.wait(timeout=30)
    process.send_signal(sent)
    _, complaint = process.communicate(timeout=30)
    central.let_go.set()
    assert process.returncode == code, complaint
    assert "Traceback" not in complaint
    assert "resource_tracker" not in complaint
    assert central.abandoned == ["cancelled"]


def test_what_nobody_expected_is_told_with_a_traceback_and_never_means_nothing_found(
    central: StandIn, sandbox: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import indexer.git.repository\n"
        "def broken(repository):\n"
        "    raise ZeroDivisionError('odd\\n::add-mask::x')\n"
        "indexer.git.repository.Repository.name = broken\n"
    )
    summary = tmp_path / "summary.md"
    environ = environment(central, PYTHONPATH=str(tmp_path), GITHUB_ACTIONS="true")
    done = run(sandbox, environ | {"GITHUB_STEP_SUMMARY": str(summary)})
    assert done.returncode == 3
    assert done.stdout == ""
    assert "Traceback" in done.stderr
    assert "please report" in done.stderr
    assert "ZeroDivisionError: odd" in done.stderr
    assert "\n> ::add-mask::x\n" in done.stderr
    assert "\n::error title=Internal error of the indexer::" in done.stderr
    assert summary.read_text().startswith("### Internal error of the indexer\n")
    assert "Exit code 3" in summary.read_text()


def test_what_a_file_makes_a_worker_say_is_no_command_of_the_runners(
    central: StandIn, sandbox: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(  # a worker has no `site`
        "from indexer.pipeline import forkserver\n"
        "forkserver._PROGRAM = 'import sys; sys.path[:] = {path}; import broken; '"
        " + forkserver._PROGRAM\n"
    )
    (tmp_path / "broken.py").write_text(
        "import indexer.pipeline.worker\n"
        "def broken(file, decoded, generated):\n"
        "    raise ValueError(decoded.text)\n"
        "indexer.pipeline.worker._extract_selected = broken\n"
    )
    sandbox.commit("hostile", {"\n::error::b.py": "\n::stop-commands::x\n"})
    done = run(sandbox, environment(central, PYTHONPATH=str(tmp_path)))
    assert done.returncode == 0
    assert "::error::b.py could not be extracted" in done.stderr
    assert "> ::stop-commands::x" in done.stderr
    assert not [line for line in done.stderr.splitlines() if line.startswith("::")]


def test_a_summary_that_cannot_be_written_is_told_and_changes_nothing_else(
    central: StandIn, sandbox: Sandbox, tmp_path: Path
) -> None:
    environ = environment(central, AETERNA_TOKEN="", GITHUB_STEP_SUMMARY=str(tmp_path))
    done = run(sandbox, environ)
    assert done.returncode == 2
    assert "error: AETERNA_TOKEN" in done.stderr
    assert "could not be written" in done.stderr


def test_help_lists_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run", "--help"])
    assert caught.value.code == 0
    assert "--organization" in capsys.readouterr().out
