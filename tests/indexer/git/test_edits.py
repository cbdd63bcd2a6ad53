"""What a branch edits, from real repositories."""

import os
from pathlib import Path

import pytest

from indexer.git.edits import EditedFile, Edits, branch_edits, map_files
from indexer.git.patch import Span
from indexer.git.repository import Repository
from tests.indexer.repositories import Sandbox

THREE = "one\ntwo\nthree\n"


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path / "shop")


def edits(sandbox: Sandbox, base: str, head: str) -> Edits:
    return branch_edits(Repository(sandbox.path), base, head)


def test_edited_removed_and_new_files_are_told_apart(sandbox: Sandbox) -> None:
    base = sandbox.commit("base", {"edited.py": THREE, "gone.py": THREE, "same.py": THREE})
    head = sandbox.commit(
        "head", {"edited.py": "one\n2\nthree\n", "gone.py": None, "new.py": "print()\n"}
    )
    assert edits(sandbox, base, head) == Edits(
        (EditedFile("edited.py", (Span(1, 2),)), EditedFile("gone.py")), added=1
    )


def test_a_rename_is_a_removal_and_a_new_file(sandbox: Sandbox) -> None:
    base = sandbox.commit("base", {"old.py": THREE})
    head = sandbox.commit("head", {"old.py": None, "new.py": THREE})
    assert edits(sandbox, base, head) == Edits((EditedFile("old.py"),), added=1)


def test_any_name_is_told_as_it_is_and_what_cannot_be_stored_is_left_out(sandbox: Sandbox) -> None:
    names = ["a b.py", 'quo"te.py', "new\nline.py", "tab\t.py", "ä.py", "*.py", "-x.py", ":(top)"]
    unstorable = os.fsdecode(b"\xff.py")
    every = [*names, unstorable]
    base = sandbox.commit("base", dict.fromkeys(every, THREE))
    head = sandbox.commit("head", dict.fromkeys(every, "one\ntwo\n"))
    found = edits(sandbox, base, head)
    assert {file.path: file.spans for file in found.files} == dict.fromkeys(names, (Span(2, 3),))


def test_binary_files_links_submodules_and_modes_are_no_edits(sandbox: Sandbox) -> None:
    base = sandbox.commit("base", {"image.py": b"\0\1\n", "script.py": THREE})
    for name, target in (("link", "script.py"), ("module", base)):
        mode = "120000" if name == "link" else "160000"
        blob = target
        if name == "link":
            blob = sandbox.git("hash-object", "-w", "--stdin", stdin=target.encode())
        sandbox.git("update-index", "--add", "--cacheinfo", f"{mode},{blob},{name}")
    sandbox.git("commit", "--quiet", "-m", "entries")
    entries = sandbox.git("rev-parse", "HEAD")
    sandbox.write({"image.py": b"\0\2\n"})
    sandbox.git("add", "image.py")
    sandbox.git("update-index", "--chmod=+x", "script.py")
    other = sandbox.git("hash-object", "-w", "--stdin", stdin=b"image.py")
    sandbox.git("update-index", "--cacheinfo", f"120000,{other},link")
    sandbox.git("update-index", "--cacheinfo", f"160000,{entries},module")
    sandbox.git("commit", "--quiet", "-m", "head")
    assert edits(sandbox, entries, "HEAD") == Edits((), added=0)
    assert edits(sandbox, base, entries) == Edits((), added=0)


def test_a_file_that_becomes_a_link_is_gone_and_the_other_way_round_is_new(
    sandbox: Sandbox,
) -> None:
    base = sandbox.commit("base", {"a.py": THREE})
    (sandbox.path / "a.py").unlink()
    (sandbox.path / "a.py").symlink_to("b.py")
    head = sandbox.commit("head")
    assert edits(sandbox, base, head) == Edits((EditedFile("a.py"),), added=0)
    assert edits(sandbox, head, base) == Edits((), added=1)


def test_neither_settings_nor_attributes_change_the_answer(sandbox: Sandbox) -> None:
    text = "".join(f"line {n}\n" for n in range(30))
    base = sandbox.commit("base", {"a.py": text, "b.py": THREE})
    edited = text.replace("line 3\n", "line three\n").replace("line 6\n", "line six\n")
    head = sandbox.commit("head", {"a.py": edited, "b.py": "one\n"})
    plain = edits(sandbox, base, head)
    assert plain.files[0] == EditedFile("a.py", (Span(3, 4), Span(6, 7)))

    for name, value in {
        "diff.interHunkContext": "9", "diff.context": "5", "diff.external": "false",
        "diff.noprefix": "true", "diff.renames": "copies", "diff.algorithm": "patience",
        "color.ui": "always", "core.quotePath": "false", "diff.mine.textconv": "false",
        "diff.mine.command": "false", "diff.relative": "true", "diff.orderFile": "order",
    }.items():  # fmt: skip
        sandbox.git("config", name, value)
    sandbox.write({".gitattributes": "a.py diff=mine\nb.py -diff\n", "order": "b.py\na.py\n"})
    assert edits(sandbox, base, head) == plain


def test_more_files_than_fit_into_a_command_are_all_told(sandbox: Sandbox) -> None:
    names = [f"{n:04}.py" for n in range(1_201)]
    base = sandbox.commit("base", dict.fromkeys(names, "a\n"))
    head = sandbox.commit("head", dict.fromkeys(names, "b\n"))
    found = edits(sandbox, base, head)
    assert [file.path for file in found.files] == names
    assert {file.spans for file in found.files} == {(Span(0, 1),)}


def test_what_is_inserted_below_a_python_block_is_placed_by_its_indentation(
    sandbox: Sandbox,
) -> None:
    base = sandbox.commit("base", {"a.py": "def f():\n    g()\n", "a.js": "f(() =>\n    g())\n"})
    head = sandbox.commit(
        "head", {"a.py": "def f():\n    g()\n    h()\n", "a.js": "f(() =>\n    g())\n    h()\n"}
    )
    spans = {file.path: file.spans for file in edits(sandbox, base, head).files}
    assert spans == {"a.py": (Span(0, 1),), "a.js": (Span(2, 2),)}


def test_spans_are_moved_to_another_commit_and_whole_or_gone_files_stay(sandbox: Sandbox) -> None:
    base = sandbox.commit("base", {"a.py": THREE, "b.py": THREE, "c.py": THREE})
    later = sandbox.commit("later", {"a.py": "zero\n" + THREE, "b.py": None})
    files = [EditedFile("a.py", (Span(1, 2), Span(3, 3))), EditedFile("b.py", (Span(0, 1),)),
             EditedFile("c.py")]  # fmt: skip
    assert map_files(Repository(sandbox.path), files, base, later) == (
        EditedFile("a.py", (Span(2, 3), Span(4, 4))),
        *files[1:],
    )
