"""`codesearch blame`: what it asks and prints, and lines of a real service."""

import json
from pathlib import Path
from typing import Any

import pytest

from aeterna_code_search.cli.output.blamed_lines import render
from aeterna_code_search.client.console import Console
from tests.cli.answering import Answering, run
from tests.cli.command import codesearch
from tests.cli.terminal import in_terminal

COMMIT = "a" * 40
RECEIPT = {
    "complete": True,
    "took_ms": 1.0,
    "projects": [{"project": "kit", "commit": "c" * 40, "indexed_at": "2026-11-30T00:00:00Z"}],
    "missing": [],
}


def answer(first: int, last: int, *, truncated: bool = False, **more: Any) -> dict[str, Any]:
    """Lines of one commit, but for the last, which is not known."""
    own = {"commit": COMMIT, "committed_at": "2026-10-03T12:00:00Z", "subject": "Why", "url": None}
    return {
        "project": "kit",
        "path": "a.py",
        "start_line": first,
        "end_line": last,
        "ranges": [{"start_line": first, "end_line": last - 1, **own}],
        "unknown": [{"start_line": last, "end_line": last, "reason": "large"}],
        "truncated": truncated,
        "receipt": RECEIPT,
        "hint": None,
        **more,
    }


class Blaming(Answering):
    """Answers each request with the next page, and each for lines with all."""

    def __init__(self, *pages: dict[str, Any]) -> None:
        super().__init__()
        self._pages = pages

    def blame(self, parameters: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(parameters)
        return self._pages[len(self.asked) - 1]

    def read_file(self, parameters: dict[str, Any]) -> dict[str, Any]:
        first, last = parameters["start_line"], parameters.get("end_line", 6)
        lines = "".join(f"line {number}\n" for number in range(first, last + 1))
        return {"content": lines, "start_line": first, "end_line": last, "truncated": False}


def test_a_pipe_gets_a_line_for_each_with_tabs_and_pages_are_put_together() -> None:
    service = Blaming(answer(1, 3, truncated=True), answer(4, 6, hint="Some are unknown."))
    done = run(service, "blame", "kit", "a.py")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == [COMMIT, COMMIT, "", COMMIT, COMMIT, ""]
    assert rows[1] == [COMMIT, "2026-10-03T12:00:00Z", "2", "line 2"]
    assert service.asked[1] == {"project": "kit", "path": "a.py", "start_line": 4}
    assert done.stderr.startswith("kit at ")
    assert done.stderr.endswith("Some are unknown.\n")


def test_lines_are_chosen_and_json_is_the_answer() -> None:
    service = Blaming(answer(2, 4))
    done = run(service, "blame", "kit/a.py", "--lines", "2-4", "--json")
    assert service.asked == [{"project": "kit", "path": "a.py", "start_line": 2, "end_line": 4}]
    assert json.loads(done.stdout) == answer(2, 4)
    assert run(Blaming(), "blame", "kit").exit_code == 2


@pytest.mark.parametrize("is_terminal", [True, False])
def test_lines_never_control_a_terminal(is_terminal: bool) -> None:
    found = answer(1, 2, content="\x1b]0;gone\x07\u202e\nx\n")
    printed = render(Console(is_terminal=is_terminal), found)
    assert not [control for control in ("\x1b]0", "\x07", "\u202e") if control in printed]


def test_a_real_file_is_blamed(acme_environ: dict[str, str], tmp_path: Path) -> None:
    asked = ("blame", "auth-service", "acme_auth/tokens.py", "--lines", "1-3")
    done = codesearch(*asked, directory=tmp_path, environ=acme_environ)
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [row[2] for row in rows] == ["1", "2", "3"]
    assert {len(row[0]) for row in rows} == {40}
    code, sent = in_terminal(*asked, directory=tmp_path, environ=acme_environ)
    assert code == 0
    assert rows[0][0][:10] in sent
    symbol = ("history", "auth-service", "--symbol", "verify_token")
    done = codesearch(*symbol, directory=tmp_path, environ=acme_environ)
    assert (done.returncode, "First commit" in done.stdout) == (0, True), done.stderr
