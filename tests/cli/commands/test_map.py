"""`codesearch map`, from a real service."""

import json
from pathlib import Path

from tests.cli.command import codesearch
from tests.waiting import wait_until


def test_which_repositories_use_which_is_a_line_for_each_link(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    def shown(*options: str) -> tuple[int, str, str]:
        done = codesearch("map", "show", *options, directory=tmp_path, environ=acme_environ)
        return done.returncode, done.stdout, done.stderr

    wait_until(lambda: shown()[0] == 0, "edges do not follow", seconds=90)
    _, lines, notes = shown()
    asked = "acme-common >=2.1,<3 of 2.3.0"
    assert lines == f"auth-service -> common-utils: 15 calls, 13 imports; {asked}\n"
    assert notes.startswith("Searched ")
    _, text, _ = shown("auth-service", "--level", "package", "--json")
    assert {one["project"] for one in json.loads(text)["nodes"]} == {"auth-service", "common-utils"}


def test_what_nothing_calls_is_a_line_with_its_doubts(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    def unused(*options: str) -> tuple[int, str, str]:
        done = codesearch("map", "unused", *options, directory=tmp_path, environ=acme_environ)
        return done.returncode, done.stdout, done.stderr

    wait_until(lambda: unused()[0] == 0, "edges do not follow", seconds=90)
    _, lines, notes = unused("common-utils", "--kind", "function", "--limit", "1")
    first, more = lines.splitlines()
    assert first.startswith("common-utils/src/acme_common/")
    assert ": function " in first
    assert first.endswith(")")
    assert more.startswith("More: --cursor ")
    assert notes.startswith("Searched ")


def test_a_repository_that_is_not_there_is_not_found(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    done = codesearch("map", "show", "nope", directory=tmp_path, environ=acme_environ)
    assert (done.returncode, done.stdout) == (3, "")
    assert "There is no such repository" in done.stderr
