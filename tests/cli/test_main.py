"""The command line as a process: how quick, how it ends, and what shells complete."""

import os
import signal
import socket
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from scripts.local_service import clean_environment, free_address
from tests.cli.command import PROGRAM, codesearch
from tests.cli.conftest import MakeRepository

# Whoever is asked for help waits for these in vain.
HEAVY = {
    *("httpx", "rich", "pydantic", "mcp", "git", "tree_sitter", "numpy", "watchfiles", "django"),
    "duckdb",
}
PLACE = {"AETERNA_TOKEN": "aet_x", "AETERNA_ORGANIZATION": "acme"}


def test_help_imports_nothing_but_the_parser_of_arguments() -> None:
    check = (
        "import sys, aeterna_code_search.cli.main\n"
        "from aeterna_code_search.cli.app import codesearch_application\n"
        "from typer.testing import CliRunner\n"
        "found = CliRunner().invoke(codesearch_application(), ['search', '--help'])\n"
        "assert found.exit_code == 0, found.output\n"
        f"print(*sorted({HEAVY!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


@pytest.mark.parametrize("options", [["--version"], ["--version", "search"]])
def test_its_version_is_that_of_the_distribution(tmp_path: Path, options: list[str]) -> None:
    done = codesearch(*options, directory=tmp_path, environ={})
    assert (done.returncode, done.stdout) == (0, f"codesearch {version('aeterna-code-search')}\n")


def test_aeterna_has_the_same_commands(tmp_path: Path) -> None:
    program = (
        "import sys; from aeterna_code_search.cli.main import main_aeterna\n"
        "sys.argv[0] = 'aeterna'; main_aeterna()"
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


@pytest.mark.parametrize(
    "module",
    [
        "indexer.config.settings",
        "aeterna_code_search.cli.app",
        "typer",
        "aeterna_code_search.client.target.target",
    ],
)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_it_starts_ends_it_so_too(
    tmp_path: Path, module: str, number: signal.Signals, code: int
) -> None:
    program = f"""
import os, sys
from aeterna_code_search.cli import main

class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {int(number)})

sys.meta_path.insert(0, Interrupting())
sys.argv = ["codesearch", "status"]
main.main_codesearch()
"""
    done = subprocess.run(
        [sys.executable, "-c", program], env=clean_environment(PLACE), cwd=tmp_path,
        capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (code, b"", b"")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_the_last_words_are_written_ends_it_so_too(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    program = f"""
import os, signal, sys
from aeterna_code_search.cli import main

class Interrupted:
    def flush(self):
        os.kill(os.getpid(), {int(number)})

signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, main._terminate)
sys.stdout = Interrupted()
main._leave(0)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], env=clean_environment({}), cwd=tmp_path,
        capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (code, b"", b"")


@pytest.mark.parametrize(
    ("redirected", "code", "says"),
    [
        (">/dev/full", 2, "error: No space left on device: standard output\n"),
        (">&-", 0, ""),
        (">&- 2>&- <&-", 0, ""),
    ],
)
def test_streams_that_take_nothing_are_no_fault(
    tmp_path: Path, redirected: str, code: int, says: str
) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {redirected}', "sh", *PROGRAM, "--help"],
        env=clean_environment({}), cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (code, says)


def test_a_directory_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    done = subprocess.run(
        ["/bin/sh", "-c", 'rmdir ../gone; exec "$@"', "sh", *PROGRAM, "status"],
        env=clean_environment({}), cwd=tmp_path / "gone", capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("error: the working directory does not exist any more")


@pytest.mark.parametrize("program", [[*PROGRAM, "watch"], [sys.executable, "-m", "indexer", "run"]])
def test_without_git_it_says_what_to_install(
    make_repository: MakeRepository, tmp_path: Path, program: list[str]
) -> None:
    root = make_repository("shop", {"a.py": ""})
    environ = clean_environment({"PATH": str(tmp_path), "AETERNA_DATA_DIR": str(tmp_path / "data")})
    done = subprocess.run(
        program, env=environ, cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.endswith("error: git is not installed, or not on the PATH: install git\n")


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
