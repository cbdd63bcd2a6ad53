"""`codesearch scip export`: a project's index as a file."""

import gzip
import re
from pathlib import Path

import pytest

from indexer.scip.scip_pb2 import Index
from tests.cli.command import codesearch

RETRY = "scip-python python acme-common 2.3.0 `acme_common.retry`/retry_call()."


@pytest.mark.parametrize("name", ["index.scip", "index.scip.gz"])
def test_the_file_is_the_index_of_the_project(
    acme_environ: dict[str, str], tmp_path: Path, name: str
) -> None:
    def export(*options: str) -> tuple[int, str, str]:
        done = codesearch(
            "scip", "export", name, *options, directory=tmp_path, environ=acme_environ
        )
        return done.returncode, done.stdout, done.stderr

    code, answer, notes = export("--project", "common-utils")
    assert (code, answer) == (0, ""), notes
    assert re.fullmatch(rf"{name}: [\d.]+ MB of common-utils at commit [0-9a-f]{{12}}\.\n", notes)
    assert [one.name for one in tmp_path.iterdir()] == [name]
    data = (tmp_path / name).read_bytes()
    index = Index.FromString(gzip.decompress(data) if name.endswith(".gz") else data)
    assert index.metadata.project_root == "file:///common-utils"
    assert f"commit={notes.split()[-1][:12]}" in str(index.metadata.tool_info)
    assert [one for one in index.documents for two in one.symbols if two.symbol == RETRY]

    code, _, notes = export("--project", "common-utils")
    assert (code, "overwrite it with --force" in notes) == (2, True)
    assert (tmp_path / name).read_bytes() == data
    assert export("--project", "common-utils", "--force")[0] == 0


def test_a_refused_export_leaves_no_file(acme_environ: dict[str, str], tmp_path: Path) -> None:
    export = ("scip", "export", "a.scip")
    unknown = codesearch(*export, "--project", "no-such", directory=tmp_path, environ=acme_environ)
    assert unknown.returncode != 0
    assert "There is no such repository" in unknown.stderr
    outside = codesearch(*export, directory=tmp_path, environ=acme_environ)
    assert (outside.returncode, "--project" in outside.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []
