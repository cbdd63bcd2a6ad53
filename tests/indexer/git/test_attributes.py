"""Attributes come from the commit, whatever lies on disk or in the user's configuration."""

from pathlib import Path

import pytest

from indexer.git.attributes import ATTRIBUTES_BYTES, ENCODING, GENERATED, VENDORED, attributes_at
from indexer.git.repository import Repository
from tests.indexer.repositories import Sandbox


@pytest.fixture(params=["sha1", "sha256"])
def sandbox(tmp_path: Path, request: pytest.FixtureRequest) -> Sandbox:
    return Sandbox(tmp_path / "repository", f"--object-format={request.param}")


def test_attributes_are_those_of_the_commit(sandbox: Sandbox) -> None:
    old = sandbox.commit("old", {"a.py": "a", "lib/b.py": "b", "lib/deep/c.py": "c"})
    head = sandbox.commit(
        "head",
        {
            ".gitattributes": "*.py linguist-generated=true\nlib/** linguist-vendored\n",
            "lib/deep/.gitattributes": "c.py -linguist-vendored linguist-generated=false\n",
        },
    )
    sandbox.write({".gitattributes": "* linguist-vendored\n"})
    (sandbox.path / ".git/info").mkdir(exist_ok=True)
    (sandbox.path / ".git/info/attributes").write_text("* linguist-vendored\n")
    sandbox.git("config", "core.attributesFile", str(sandbox.path / ".gitattributes"))
    paths = ["a.py", "lib/b.py", "lib/deep/c.py", "new\nline"]
    repository = Repository(sandbox.path / "lib")
    assert attributes_at(repository, old, paths) == {}
    assert attributes_at(repository, head, paths) == {
        "a.py": {GENERATED: "true"},
        "lib/b.py": {GENERATED: "true", VENDORED: "set"},
        "lib/deep/c.py": {GENERATED: "false", VENDORED: "unset"},
    }


def test_a_bare_blobless_clone_has_them_too(sandbox: Sandbox, tmp_path: Path) -> None:
    head = sandbox.commit("head", {"a.js": "a", ".gitattributes": "*.js linguist-vendored\n"})
    clone = sandbox.clone_to(tmp_path / "clone", "--bare", "--filter=blob:none")
    assert attributes_at(Repository(clone.path), head, ["a.js"]) == {"a.js": {VENDORED: "set"}}


@pytest.mark.parametrize("name", [":!y", ":(exclude)x", ":/", "a*", "[b]"])
def test_a_directory_named_like_a_pathspec_is_taken_by_its_name(
    sandbox: Sandbox, name: str
) -> None:
    path = f"{name}/a.py"
    marks = {f"{name}/.gitattributes": "*.py linguist-generated\n"}
    head = sandbox.commit("head", {path: "a", "ab/.gitattributes": "", **marks})
    found = attributes_at(Repository(sandbox.path), head, [path, "ab/a.py"])
    assert found == {path: {GENERATED: "set"}}


def test_a_macro_of_the_top_counts_below_it_and_is_defined_there_alone(sandbox: Sandbox) -> None:
    head = sandbox.commit(
        "head",
        {
            "a.py": "a", "lib/b.py": "b",
            ".gitattributes": "[attr]ours linguist-vendored\n",
            "lib/.gitattributes": "*.py ours theirs\n[attr]theirs linguist-generated\n",
        },
    )  # fmt: skip
    found = attributes_at(Repository(sandbox.path), head, ["a.py", "lib/b.py"])
    assert found == {"lib/b.py": {VENDORED: "set"}}


def test_a_file_beyond_the_bounds_says_nothing_and_the_log_says_so(
    sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    line = f"*.py {GENERATED}\n"
    head = sandbox.commit(
        "head",
        {
            "a.py": "", "lib/b.py": "",
            ".gitattributes": line + "#" * ATTRIBUTES_BYTES,
            "lib/.gitattributes": "?" * 65 + line + line,
        },
    )  # fmt: skip
    found = attributes_at(Repository(sandbox.path), head, ["a.py", "lib/b.py"])
    assert found == {"lib/b.py": {GENERATED: "set"}}
    assert ".gitattributes is larger than 1048576 bytes and is ignored" in caplog.text
    assert "lib/.gitattributes: line 1 is ignored: its pattern is with more than" in caplog.text


def test_the_encoding_of_a_path_is_its_attribute_else_its_charset(sandbox: Sandbox) -> None:
    head = sandbox.commit(
        "head",
        {
            "a.c": "", "b.c": "", "lib/a.c": "", "lib/b.c": "", "lib/c.py": "",
            ".gitattributes": "b.c working-tree-encoding=cp1251\n",
            "lib/.editorconfig": "[*.c]\ncharset = latin1\n",
        },
    )  # fmt: skip
    paths = ["a.c", "b.c", "lib/a.c", "lib/b.c", "lib/c.py"]
    assert attributes_at(Repository(sandbox.path), head, paths) == {
        "b.c": {ENCODING: "cp1251"},
        "lib/a.c": {ENCODING: "latin1"},
        "lib/b.c": {ENCODING: "cp1251"},
    }


def test_a_charset_of_utf8_alone_tells_nothing(sandbox: Sandbox) -> None:
    head = sandbox.commit("head", {"a.c": "", ".editorconfig": "[*]\ncharset = utf-8\n"})
    assert attributes_at(Repository(sandbox.path), head, ["a.c"]) == {}
