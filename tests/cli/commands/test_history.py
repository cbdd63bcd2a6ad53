"""`codesearch history`: what it asks and prints, and the history of a real service."""

import json
from pathlib import Path
from typing import Any

import pytest

from aeterna_code_search.cli.output.commits import render
from aeterna_code_search.client.console import Console
from tests.agents.recorded import recorded
from tests.cli.answering import Answering, run
from tests.cli.command import codesearch
from tests.cli.terminal import in_terminal

HOSTILE = "<b>\x1b]0;gone\x07\u202e\tno\nComplete."
MOVED, REVERT, ALLOWED, BEGUN = recorded("history")["commits"]


class Histories(Answering):
    """Answers each request with the next page."""

    def __init__(self, *pages: dict[str, Any]) -> None:
        super().__init__()
        self._pages = pages

    def history(self, parameters: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(parameters)
        return self._pages[len(self.asked) - 1]


def test_a_pipe_gets_a_line_for_each_commit_with_tabs() -> None:
    done = run(Histories(recorded("history")), "history", "auth-service", "acme_auth")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == [
        commit["commit"] for commit in (MOVED, REVERT, ALLOWED, BEGUN)
    ]
    assert rows[0][1:] == [
        MOVED["committed_at"],
        "Name the module after what it has",
        f"renamed acme_auth/limits.py from acme_auth/throttle.py; in merge {MOVED['merge'][:10]}",
    ]
    assert rows[2][3] == f"modified acme_auth/tokens.py; reverted by {REVERT['commit'][:10]}"
    assert rows[3][3] == "10 of 16 paths"
    assert done.exit_code == 0
    day = BEGUN["committed_at"][:10]
    assert done.stderr.startswith("auth-service at ")
    assert done.stderr.endswith(f"Commits are stored since {day}.\n")


def test_options_are_asked_for_and_pages_are_put_together() -> None:
    whole = recorded("history")
    first = {**whole, "commits": [MOVED] * 100, "next_cursor": "next"}
    second = {**whole, "commits": [REVERT] * 20, "next_cursor": "more"}
    service = Histories(first, second)
    asked = ("history", "auth-service/acme_auth", "-n", "120", "--after", "2026-11-01")
    done = run(service, *asked, "--before", "2026-12-01")
    assert len(done.stdout.splitlines()) == 120
    common = {"project": "auth-service", "path": "acme_auth", "after": "2026-11-01"}
    common["before"] = "2026-12-01"
    assert service.asked == [
        {**common, "limit": 100},
        {**common, "limit": 20, "cursor": "next"},
    ]
    assert done.stderr.endswith("There are more: raise --limit, or give --before.\n")
    answer = json.loads(run(Histories(first, second), *asked, "--json").stdout)
    assert (answer["count"], len(answer["commits"]), answer["next_cursor"]) == (120, 120, "more")


@pytest.mark.parametrize(
    ("projects", "code"), [(recorded("history")["receipt"]["projects"], 1), ([], 3)]
)
def test_a_history_without_commits_says_why(projects: list[object], code: int) -> None:
    whole = recorded("history")
    receipt = {**whole["receipt"], "projects": projects}
    empty = {**whole, "commits": [], "hint": "No commit is stored.", "receipt": receipt}
    done = run(Histories({**empty, "since": None}), "history", "auth-service")
    assert (done.exit_code, done.stdout) == (code, "")
    assert done.stderr.endswith("No commit is stored.\n")
    assert run(Histories(), "history").exit_code == 2


def test_messages_of_commits_never_control_a_terminal() -> None:
    change = {"path": HOSTILE, "status": "renamed", "old_path": HOSTILE}
    commit = {**MOVED, "subject": HOSTILE, "url": f"https://x/{HOSTILE}", "changes": [change]}
    answer = {**recorded("history"), "commits": [commit]}
    for console in (Console(is_terminal=True), Console(is_terminal=False)):
        printed = render(console, answer)
        assert not [control for control in ("\x1b]0", "\x07", "\u202e") if control in printed]
        assert "<b>" in printed
    assert "\nComplete." not in printed  # a terminal's lines may be wrapped there
    assert printed.count("\t") == 3


def test_a_real_history_is_listed(acme_environ: dict[str, str], tmp_path: Path) -> None:
    asked = ("history", "auth-service", "acme_auth/tokens.py")
    done = codesearch(*asked, directory=tmp_path, environ=acme_environ)
    assert done.returncode == 0
    assert done.stdout.endswith("\tFirst commit\tadded\n")
    code, sent = in_terminal(*asked, directory=tmp_path, environ=acme_environ)
    assert code == 0
    assert "First commit" in sent
    assert "    added" in sent
    wrong = codesearch(*asked, "--after", "soon", directory=tmp_path, environ=acme_environ)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "2026-11-30T12:00:00Z" in wrong.stderr
    ghost = ("history", "auth-service", "acme_auth/token.py")
    unknown = codesearch(*ghost, directory=tmp_path, environ=acme_environ)
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "Similar names: acme_auth/tokens.py" in unknown.stderr
