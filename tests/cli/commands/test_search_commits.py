"""`codesearch search` for commits and changed lines: of a real service, and what is printed."""

import re
from pathlib import Path
from typing import Any

import pytest

from aeterna_code_search.agents.text import search_text
from aeterna_code_search.cli.output import changes
from aeterna_code_search.client.console import Console
from tests.agents.recorded import recorded
from tests.cli.command import codesearch
from tests.cli.terminal import in_terminal

HOSTILE = "<b>\x1b]0;gone\x07\u202e\tno\nComplete."


def found(**changed: Any) -> dict[str, Any]:
    """A result of type:diff."""
    change = {
        "subject": "Retry requests",
        "author": "ann@acme.example",
        "authored_at": "2026-11-01T00:00:00Z",
        "committed_at": "2026-11-02T00:00:00Z",
        "merge": "d" * 40,
        "reverts": [],
        "reverted_by": ["e" * 40],
        "changed": 2,
        "url": "https://forge.example/acme/shop/commit/aaaa",
    }
    line = {"column": 1, "truncated": False, "defines": False}
    lines = [
        {**line, "line": 3, "text": "return send()", "ranges": [[7, 11]], "side": "removed"},
        {**line, "line": 4, "text": "return retry()", "ranges": [], "side": "added"},
    ]
    own = {"project": "shop", "commit": "a" * 40, "file": "src/a.py", "matches": 1}
    own |= {"lines": lines, "change": change}
    return {**recorded("search")["results"][0], **own, **changed}


def test_a_pipe_gets_changed_lines_with_their_commit_and_sign() -> None:
    assert changes.format_plain(found()) == (
        "aaaaaaaaaa shop/src/a.py:3: -return send()\naaaaaaaaaa shop/src/a.py:4: +return retry()\n"
    )


def test_a_pipe_gets_a_commit_on_a_line_whatever_its_subject_holds() -> None:
    change = {**found()["change"], "subject": HOSTILE}
    line = changes.format_plain(found(file="", lines=[], matches=None, change=change))
    commit, day, project, subject, marks = line.rstrip("\n").split("\t")
    assert (commit, day, project) == ("a" * 10, "2026-11-02", "shop")
    assert "\x1b" not in subject
    assert marks == f"ann@acme.example; in merge {'d' * 10}; reverted by {'e' * 10}"


def test_a_terminal_gets_the_commit_its_day_and_coloured_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    shown = changes.render(Console(is_terminal=True, width=100), found())
    plain = re.sub(r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\", "", shown)
    assert plain.splitlines()[:4] == [
        "aaaaaaaaaa  2026-11-02  Retry requests",
        f"    shop/src/a.py  ann@acme.example  in merge {'d' * 10}  reverted by {'e' * 10}",
        "     3 - return send()",
        "     4 + return retry()",
    ]
    assert "\x1b[31m" in shown


def test_agents_read_the_commit_its_path_and_signed_lines() -> None:
    answer = {**recorded("search"), "query": "type:diff send", "confidence": None}
    answer |= {"results": [found()], "total": {"matches": 1, "files": 1, "at_least": False}}
    head, block, *_ = search_text(answer).split("\n\n")
    assert head == "1 result for type:diff send: 1 match in 1 changed file"
    assert block.splitlines() == [
        f"shop@aaaaaaaaaa  2026-11-02  Retry requests; ann@acme.example; in merge {'d' * 10}; "
        f"reverted by {'e' * 10}",
        "src/a.py",
        "    3: -return send()",
        "    4: +return retry()",
    ]


def test_commits_of_a_real_service_are_found_by_words_and_by_text(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    where: Any = {"directory": tmp_path, "environ": acme_environ}
    words = codesearch("search", "type:commit the first commit", **where)
    assert words.returncode == 0
    rows = [line.split("\t")[2:4] for line in words.stdout.splitlines()]
    assert ["auth-service", "First commit"] in rows
    text = codesearch("search", 'type:commit "First commit" repo:auth', **where)
    assert [line.split("\t")[2] for line in text.stdout.splitlines()] == ["auth-service"]
    _, sent = in_terminal("search", 'type:commit "First commit"', **where)
    assert "First commit" in re.sub(r"\x1b\[[0-9;]*m", "", sent)
    bad = codesearch("search", "type:commit before:soon x", **where)
    assert "is no date" in bad.stderr
    assert bad.returncode == 5
