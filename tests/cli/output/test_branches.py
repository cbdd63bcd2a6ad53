"""What the command line says of branches in a pipe, and where there is nothing to say."""

import pytest

from aeterna_code_search.cli.output.search_results import format_plain as format_results
from aeterna_code_search.cli.output.status import format_plain as format_status
from aeterna_code_search.client.receipt import _searched, exit_status
from indexer.exits import Exit


@pytest.mark.parametrize("reason", ["no_such_branch", "branch_not_indexed"])
def test_the_hint_of_a_branch_that_is_not_indexed_is_shown(reason: str) -> None:
    hint = "Of no repository in the search's scope is a branch relase/1 indexed."
    missing = [{"project": "pricing", "reason": reason, "since": None}]
    answer = {"hint": hint, "receipt": {"projects": [], "missing": missing}}

    code, text = exit_status(answer, count=0)

    assert code is Exit.NOT_INDEXED
    assert text.startswith(hint)
    assert "codesearch init" not in text


def test_results_of_several_branches_say_in_a_pipe_which_they_are_of() -> None:
    result = {
        "project": "pricing",
        "file": "index.ts",
        "branches": ["main", "release/1"],
        "matched": [],
        "content": "export {}",
        "name": "",
        "lines": [],
        "content_start_line": 7,
        "start_line": 7,
        "end_line": 7,
    }
    assert format_results([result]).endswith("\ton main, release/1\n")


def test_the_status_in_a_pipe_has_a_line_for_each_branch() -> None:
    counts = {"files": 3, "chunks": 9, "symbols": 4, "references": 5}
    times = {"last_indexed_commit": "c" * 40, "indexed_at": "2026-12-01T00:00:00Z"}
    branch = {"ref": "release/1", "trouble": "", "reason": None, "error": None, **counts, **times}
    project = {"project": "shop", "state": "current", "error": "", **counts, **times}
    lines = format_status({"projects": [{**project, "branches": [branch]}]}).splitlines()
    assert [line.split("\t")[:2] for line in lines] == [
        ["shop", "current"],
        ["shop@release/1", "current"],
    ]


def test_several_branches_of_a_repository_are_one_repository() -> None:
    projects = [
        {"project": "shop", "commit": commit * 40, "indexed_at": "2026-12-01T00:00:00Z"}
        for commit in "ab"
    ]
    assert _searched(projects).startswith("Searched 2 branches of shop")
