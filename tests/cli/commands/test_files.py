"""`codesearch cat` and `codesearch ls`, from a real service."""

import json
from pathlib import Path

import pytest

from aeterna_code_search.cli.commands.files import line_range
from tests.cli.answering import Answering, run
from tests.cli.command import codesearch
from tests.cli.commands.hostile import CONTROLS, hostile_environ
from tests.cli.terminal import in_terminal

__all__ = ["hostile_environ"]

TOKENS = ("auth-service", "acme_auth/tokens.py")


def test_a_file_is_printed_as_it_is_indexed(acme_environ: dict[str, str], tmp_path: Path) -> None:
    done = codesearch("cat", *TOKENS, directory=tmp_path, environ=acme_environ)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 104
    assert "\ndef verify_token(token: str" in done.stdout
    assert done.stderr.startswith("auth-service at ")


def test_a_place_of_another_command_can_be_pasted() -> None:
    for pasted in (["auth/src/a.py"], ["auth", "src/a.py"], ["auth/src", "a.py"]):
        service = Paged([{**PAGE, "content": "a\n", "start_line": 1, "truncated": False}])
        assert run(service, "cat", *pasted).stdout == "a\n"
        assert service.asked == [{"project": "auth", "path": "src/a.py", "start_line": 1}]
    for incomplete in (["auth"], ["auth/"]):
        done = run(Answering(), "cat", *incomplete)
        assert done.exit_code == 2
        assert "`codesearch ls PROJECT` lists them" in done.stderr


def test_only_the_chosen_lines_are_printed(acme_environ: dict[str, str], tmp_path: Path) -> None:
    for lines, count in (("70-72", 3), ("70", 1), ("-3", 3), ("103-", 2), ("100-9999", 5)):
        asked = ("cat", *TOKENS, "--lines", lines)
        done = codesearch(*asked, directory=tmp_path, environ=acme_environ)
        assert len(done.stdout.splitlines()) == count, lines
    behind = codesearch("cat", *TOKENS, "--lines", "999", directory=tmp_path, environ=acme_environ)
    assert behind.stdout == ""
    assert behind.stderr == "error: The file has 104 lines; --lines begins behind the last.\n"


@pytest.mark.parametrize("wrong", ["", "-", "a", "9-1", "0-3", "1-2-3", "1:2", "9" * 20])
def test_wrong_lines_are_refused_with_the_forms(wrong: str) -> None:
    done = run(Answering(), "cat", "a", "b", "--lines", wrong)
    assert done.exit_code == 2
    assert done.stderr.startswith("Usage: ")


def test_a_range_of_lines_may_lack_either_end() -> None:
    assert line_range(None) == line_range("1-") == (1, None)
    assert line_range("5") == (5, 5)
    assert line_range("5-7") == (5, 7)
    assert line_range("-7") == (1, 7)


def test_a_directory_names_the_command_that_lists_it(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    done = codesearch("cat", "auth-service", "acme_auth", directory=tmp_path, environ=acme_environ)
    assert (done.returncode, done.stdout) == (2, "")
    command = "`codesearch ls auth-service acme_auth`"
    assert done.stderr == f"error: acme_auth is a directory: type {command}.\n"


def test_what_is_not_there_is_named_with_what_is_like_it(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    asked = ("cat", "auth-service", "acme_auth/token.py")
    done = codesearch(*asked, directory=tmp_path, environ=acme_environ)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Similar names: acme_auth/tokens.py" in done.stderr
    for command in (["cat", "nope", "a.py"], ["ls", "nope"]):
        done = codesearch(*command, directory=tmp_path, environ=acme_environ)
        assert (done.returncode, done.stdout) == (3, "")
        assert "`codesearch status` lists the repositories." in done.stderr


def test_json_is_the_answer_with_all_of_the_content(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    asked = ("cat", *TOKENS, "--json", "--lines", "70-71")
    done = codesearch(*asked, directory=tmp_path, environ=acme_environ)
    answer = json.loads(done.stdout)
    assert done.stdout.isascii()
    assert (answer["start_line"], answer["end_line"], answer["total_lines"]) == (70, 71, 104)
    assert done.stderr == ""


def test_a_file_of_several_answers_is_put_together() -> None:
    pages = [
        {"content": "a\nb\n", "start_line": 1, "end_line": 2, "truncated": True},
        {"content": "c\n", "start_line": 3, "end_line": 3, "truncated": False},
    ]
    service = Paged([{**PAGE, **page} for page in pages])
    assert run(service, "cat", "shop", "a.py").stdout == "a\nb\nc\n"
    assert [asked["start_line"] for asked in service.asked] == [1, 3]
    whole = json.loads(
        run(Paged([{**PAGE, **one} for one in pages]), "cat", "s", "a", "--json").stdout
    )
    assert (whole["start_line"], whole["end_line"], whole["content"]) == (1, 3, "a\nb\nc\n")


def test_a_line_that_is_too_long_for_an_answer_says_so() -> None:
    cut = {"content": "aaa", "start_line": 1, "end_line": 1, "truncated": True}
    done = run(Paged([{**PAGE, **cut, "hint": "Line 1 is too long."}]), "cat", "shop", "a.py")
    assert done.stdout == "aaa\n"
    assert "Line 1 is too long." in done.stderr


def test_a_file_without_content_says_why() -> None:
    skipped = {**PAGE, "content": None, "truncated": False, "hint": "It is binary."}
    done = run(Paged([skipped]), "cat", "shop", "a.bin")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "error: It is binary.\n"


def test_a_directory_lists_what_is_in_it(acme_environ: dict[str, str], tmp_path: Path) -> None:
    done = codesearch("ls", "auth-service", directory=tmp_path, environ=acme_environ)
    assert done.returncode == 0
    assert done.stdout.splitlines()[:2] == ["acme_auth/", "docs/"]
    assert "README.md" in done.stdout.splitlines()
    below = codesearch("ls", "auth-service", "acme_auth/", directory=tmp_path, environ=acme_environ)
    assert "acme_auth/tokens.py" in below.stdout.splitlines()


def test_a_list_without_a_project_names_the_command_that_has_them() -> None:
    done = run(Paged([]), "ls")
    assert done.exit_code == 2
    assert "which repository? `codesearch status` lists them" in done.stderr


def test_a_glob_finds_paths(acme_environ: dict[str, str], tmp_path: Path) -> None:
    asked = ("ls", "auth-service", "--glob", "tok*.py")
    done = codesearch(*asked, directory=tmp_path, environ=acme_environ)
    assert done.stdout == "acme_auth/tokens.py\n"
    asked = ("ls", "auth-service", "docs", "-g", "*.py")
    nothing = codesearch(*asked, directory=tmp_path, environ=acme_environ)
    assert (nothing.returncode, nothing.stdout) == (1, "")
    assert "No path matches" in nothing.stderr


def test_all_pages_of_a_directory_are_listed() -> None:
    entry = {"name": "a", "path": "a", "type": "file", "size": 1, "files": None, "skipped": None}
    page = {"entries": [entry], "next_cursor": "next", "hint": None, "receipt": PAGE["receipt"]}
    last = {**page, "entries": [{**entry, "path": "b"}], "next_cursor": None}
    service = Paged([page, last])
    assert run(service, "ls", "shop").stdout == "a\nb\n"
    assert service.asked[1]["cursor"] == "next"
    answer = json.loads(run(Paged([page, last]), "ls", "shop", "--json").stdout)
    assert (answer["count"], answer["next_cursor"]) == (2, None)


def test_a_terminal_gets_numbers_colours_and_sizes(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    asked = ("cat", *TOKENS, "--lines", "70-71")
    code, sent = in_terminal(*asked, directory=tmp_path, environ=acme_environ)
    assert code == 0
    assert "70 " in sent
    assert "\x1b[94;49mdef\x1b[0m" in sent
    _, sent = in_terminal("ls", "auth-service", directory=tmp_path, environ=acme_environ)
    assert "10 files  " in sent
    assert "965 B  " in sent


COMMANDS = [
    ["cat", "evil", "src/évil.py"],
    ["cat", "evil", "src/évil.py", "--json"],
    ["ls", "evil"],
    ["ls", "evil", "--glob", "*.txt", "--json"],
    ["grep", "needle", "-C", "1"],
    ["grep", "needle", "-c"],
    ["grep", "needle", "-l"],
    ["grep", "needle", "--json"],
    ["search", "needle", "--explain"],
]
CONTROLLING = ("\x1b]0", "\x1b[2J", "\x07", "\x9b", "\u202e", "\x0c", "\x1b[31mn")


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("terminal", ["xterm-256color", "dumb"])
def test_content_of_a_repository_never_controls_a_terminal(
    hostile_environ: dict[str, str], tmp_path: Path, arguments: list[str], terminal: str
) -> None:
    environ = {**hostile_environ, "TERM": terminal}
    _, sent = in_terminal(*arguments, directory=tmp_path, environ=environ)
    assert "eedle" in sent or ".txt" in sent
    assert not [control for control in CONTROLLING if control in sent]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_pipe_gets_no_controls_either(
    hostile_environ: dict[str, str], tmp_path: Path, arguments: list[str]
) -> None:
    """What reads it may be a terminal."""
    done = codesearch(*arguments, directory=tmp_path, environ=hostile_environ)
    assert done.returncode == 0
    assert not [control for control in CONTROLLING if control in done.stdout + done.stderr]
    assert "\x1b" not in done.stdout + done.stderr


def test_raw_is_exact_and_not_for_a_terminal(
    hostile_environ: dict[str, str], tmp_path: Path
) -> None:
    asked = ("cat", "evil", "src/évil.py", "--raw")
    done = codesearch(*asked, directory=tmp_path, environ=hostile_environ, text=False)
    assert done.stdout == CONTROLS.encode()
    code, sent = in_terminal(*asked, directory=tmp_path, environ=hostile_environ)
    assert code == 2
    assert "redirect it to a file" in sent


PAGE = {
    "project": "shop",
    "path": "a.py",
    "commit": "1" * 40,
    "language": "python",
    "size": 6,
    "total_lines": 3,
    "skipped": None,
    "url": None,
    "hint": None,
    "receipt": {
        "complete": True,
        "took_ms": 1.0,
        "projects": [{"project": "shop", "commit": "1" * 40, "indexed_at": None}],
        "missing": [],
    },
}


class Paged(Answering):
    """Answers each request with the next page."""

    def __init__(self, pages: list[dict[str, object]]) -> None:
        super().__init__()
        self._pages = pages

    def read_file(self, parameters: dict[str, object]) -> dict[str, object]:
        self.asked.append(parameters)
        return self._pages[len(self.asked) - 1]

    list_files = read_file
