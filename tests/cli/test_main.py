"""The command line as a process: how quick, how it ends, and what shells complete."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.local_service import clean_environment, free_address
from tests.cli.command import PROGRAM, codesearch

# Whoever is asked for help waits for these in vain.
HEAVY = {"httpx", "rich", "pydantic", "mcp", "git", "tree_sitter", "numpy", "watchfiles", "django"}
PLACE = {"AETERNA_TOKEN": "aet_x", "AETERNA_ORGANIZATION": "acme"}


def test_help_imports_nothing_but_the_parser_of_arguments() -> None:
    check = (
        "import sys, cli.main\n"
        "from typer.testing import CliRunner\n"
        "found = CliRunner().invoke(cli.main.codesearch_application(), ['search', '--help'])\n"
        "assert found.exit_code == 0, found.output\n"
        f"print(*sorted({HEAVY!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_aeterna_has_the_same_commands(tmp_path: Path) -> None:
    program = (
        "import sys; from cli.main import main_aeterna; sys.argv[0] = 'aeterna'; main_aeterna()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "codesearch", "--help"],
        env=clean_environment({}), cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith("Usage: aeterna codesearch [OPTIONS] COMMAND [ARGS]...")
    short = codesearch("--help", directory=tmp_path, environ={}).stdout
    assert done.stdout.split("Commands:")[1] == short.split("Commands:")[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["serach"], "Did you mean"),
        (["search"], "Missing argument"),
        (["trace", "callers", "a", "--depth", "9"], "9 is not in the range"),
    ],
)
def test_a_wrong_command_is_a_usage_error(tmp_path: Path, arguments: list[str], says: str) -> None:
    done = codesearch(*arguments, directory=tmp_path, environ={})
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_a_setting_that_is_missing_is_a_usage_error_and_is_named(tmp_path: Path) -> None:
    done = codesearch(
        "search", "x", directory=tmp_path, environ={"AETERNA_URL": "http://127.0.0.1:9"}
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "AETERNA_ORGANIZATION is not set" in done.stderr


def test_a_service_that_does_not_answer_ends_with_4(tmp_path: Path) -> None:
    environ = {**PLACE, "AETERNA_URL": f"http://{free_address()}"}
    done = codesearch("search", "x", "--json", directory=tmp_path, environ=environ)
    assert (done.returncode, done.stdout) == (4, "")
    assert "check AETERNA_URL" in done.stderr


def test_a_credential_that_is_refused_ends_with_5_and_is_not_shown(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    environ = {**acme_environ, "AETERNA_TOKEN": "aet_secret"}
    done = codesearch("status", directory=tmp_path, environ=environ)
    assert (done.returncode, done.stdout) == (5, "")
    assert "check AETERNA_TOKEN" in done.stderr
    assert "aet_secret" not in done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_without_a_traceback(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        process = subprocess.Popen(
            [*PROGRAM, "status"],
            cwd=tmp_path,
            env=clean_environment(
                {**PLACE, "AETERNA_URL": f"http://127.0.0.1:{silent.getsockname()[1]}"}
            ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        connection, _ = silent.accept()  # it waits for the answer now
        with connection:
            process.send_signal(number)
            output, errors = process.communicate(timeout=30)
    assert (process.returncode, output, errors) == (code, b"", b"")


def test_a_reader_that_has_read_enough_is_no_error(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*PROGRAM, "status"], cwd=tmp_path, env=clean_environment(acme_environ),
        stdout=writing, stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("shell", "typed", "offered"),
    [
        ("bash", "codesearch sea", "search"),
        ("bash", "codesearch search x --language pyt", "python"),
        ("bash", "codesearch search x --type meth", "method"),
        ("zsh", "codesearch trace callers x --min-confidence me", "medium"),
        ("fish", "codesearch trace cal", "callers"),
    ],
)
def test_shells_complete_commands_and_fixed_choices(
    tmp_path: Path, shell: str, typed: str, offered: str
) -> None:
    asked = {
        "_CODESEARCH_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
        "_TYPER_COMPLETE_ARGS": typed,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    assert offered in codesearch(directory=tmp_path, environ=asked).stdout
