"""`codesearch status`."""

import json
from pathlib import Path

from tests.agents.recorded import recorded
from tests.cli.answering import Answering, run
from tests.cli.terminal import in_terminal


def test_a_line_for_each_repository_with_its_commit() -> None:
    answer = recorded("status")
    done = run(Answering(answer), "status")
    first = answer["projects"][0]
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0].split("\t")[:3] == [
        first["project"], "current", first["last_indexed_commit"],
    ]  # fmt: skip


def test_a_terminal_gets_a_table(acme_environ: dict[str, str], tmp_path: Path) -> None:
    code, sent = in_terminal("status", directory=tmp_path, environ=acme_environ)
    assert code == 0
    assert "repository" in sent.splitlines()[0]
    assert "\x1b[32mcurrent\x1b[0m" in sent


def test_one_repository_is_asked_for_and_json_is_the_services_answer() -> None:
    service = Answering("status")
    done = run(service, "status", "--project", "auth-service", "--json")
    assert service.asked == ["auth-service"]
    assert json.loads(done.stdout) == recorded("status")


def test_languages_of_which_only_text_is_indexed_are_named() -> None:
    answer = recorded("status")
    answer["projects"][0]["languages_without_symbols"] = ["dart", "zig"]
    done = run(Answering(answer), "status")
    assert "Text only, no definitions or callers: dart, zig." in done.stderr
    assert "Text only" not in run(Answering("status"), "status").stderr


def test_generated_files_are_counted() -> None:
    answer = recorded("status")
    for one in answer["projects"][:2]:
        one["generated"] = 3
    done = run(Answering(answer), "status")
    assert "6 generated files: symbols and references only." in done.stderr
    assert "generated" not in run(Answering("status"), "status").stderr


def test_skipped_files_are_counted_by_reason() -> None:
    answer = recorded("status")
    for one in answer["projects"]:
        one["skipped"] = 0
    assert "skipped" not in run(Answering(answer), "status").stderr
    first, second = answer["projects"][:2]
    first |= {"skipped": 1_002, "skipped_reasons": {"binary": 1_000, "too_large": 2}}
    second |= {"skipped": 3, "skipped_reasons": {"too_large": 3}}
    done = run(Answering(answer), "status")
    assert "1,005 skipped files (1,000 binary, 5 too large)." in done.stderr
    second["skipped_reasons"] = first["skipped_reasons"] = None  # of an older service
    assert "1,005 skipped files." in run(Answering(answer), "status").stderr


def test_policies_that_are_not_run_are_named() -> None:
    answer = recorded("status")
    assert "Not run" not in run(Answering(answer), "status").stderr
    for one in answer["projects"]:
        one["policies_not_run"] = ["POL-2", "POL-1"]
    told = run(Answering(answer), "status").stderr
    assert "Not run: POL-1, POL-2; `codesearch graph show ID` says why." in told


def test_where_nothing_is_indexed_the_command_to_type_is_told() -> None:
    done = run(Answering("status_of_nothing"), "status")
    assert done.exit_code == 3
    assert "codesearch init" in done.stderr
