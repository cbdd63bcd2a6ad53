"""A checkout as it is, without a remote: what can be compared, and where objects go."""

from pathlib import Path

import pytest

from indexer.errors import GitError
from indexer.git.attributes import GENERATED, attributes_at
from indexer.git.local import LOCAL_REF, WorkingCopy
from indexer.pipeline.plan import decide
from indexer.records.runs import Ancestry, Indexed, Mode, Plan, Reason, Requested
from tests.indexer.repositories import Sandbox

MISSING = "0123456789012345678901234567890123456789"


@pytest.fixture
def origin(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path / "origin")


def plan(repository: WorkingCopy, base: str, head: str) -> Plan:
    indexed = Indexed(base, same_extractor=True, same_embedder=True)
    return decide(
        head=head, ref=LOCAL_REF, indexed=indexed, requested=Requested.AUTO, history=repository
    )


# History


def test_a_base_that_is_here_is_gone_on_from_or_left(origin: Sandbox) -> None:
    base, head = origin.commit("base"), origin.commit("head")
    origin.git("checkout", "--quiet", "--detach", base)
    side = origin.commit("side")
    repository = WorkingCopy(origin.path)
    assert plan(repository, base, head) == Plan(Mode.INCREMENTAL, Reason.FAST_FORWARD, base)
    assert plan(repository, side, head) == Plan(Mode.FULL, Reason.DIVERGED)
    assert plan(repository, head, head) == Plan(Mode.NONE, Reason.UP_TO_DATE)
    assert plan(repository, MISSING, head) == Plan(Mode.FULL, Reason.BASE_MISSING)


def test_an_older_commit_that_is_checked_out_is_indexed_and_never_superseded(
    origin: Sandbox,
) -> None:
    old, new = origin.commit("old"), origin.commit("new")
    assert plan(WorkingCopy(origin.path), new, old) == Plan(Mode.FULL, Reason.DIVERGED)


def test_a_shallow_clone_is_taken_as_it_is(origin: Sandbox, tmp_path: Path) -> None:
    origin.commit("first")
    base = origin.commit("second")
    clone = origin.clone_to(tmp_path / "clone", "--depth=1")
    head = clone.commit("of my own")
    repository = WorkingCopy(clone.path)
    assert repository.ancestry(base, head) is Ancestry.ANCESTOR
    assert Path(clone.path, ".git/shallow").is_file()


def test_no_remote_is_asked(origin: Sandbox, tmp_path: Path) -> None:
    origin.commit("first")
    clone = origin.clone_to(tmp_path / "clone")
    newer = origin.commit("second")
    repository = WorkingCopy(clone.path)
    assert repository.ancestry(newer, repository.commit("HEAD")) is Ancestry.MISSING
    assert repository.default_branch() == LOCAL_REF


# The checkout


def test_what_is_ignored_is_not_tracked_and_may_have_any_name(origin: Sandbox) -> None:
    origin.write({".gitignore": "*.log\nbuild/\n", "kept.log": "", "build/a.py": ""})
    origin.git("add", "--force", "kept.log")
    names = ["kept.log", "b.log", ":(glob)*.log", "build/a.py", "new\nline.log", "a.py", "away.log"]
    ignored = {"b.log", ":(glob)*.log", "build/a.py", "new\nline.log", "away.log"}
    assert WorkingCopy(origin.path).ignored(names) == ignored
    assert WorkingCopy(origin.path).ignored(["a.py"]) == frozenset()


# Partial clones


def test_files_that_a_partial_clone_lacks_are_not_there_and_not_fetched(
    origin: Sandbox, tmp_path: Path
) -> None:
    origin.commit("first", {"here/a.py": "a = 1\n", "away/b.py": "b = 1\n"})
    clone = origin.clone_to(tmp_path / "clone", "--filter=blob:none", "--sparse")
    clone.git("sparse-checkout", "set", "here")
    base = clone.git("rev-parse", "HEAD")
    head = clone.commit("second", {"here/a.py": "a = 2\n"})
    repository = WorkingCopy(clone.path)
    assert [entry.path for entry in repository.tree(head)] == ["here/a.py"]
    assert [entry.size for entry in repository.tree(head)] == [6]
    assert [entry.path for entry in repository.changes(base, head).entries] == ["here/a.py"]
    away = clone.git("rev-parse", "HEAD:away/b.py")
    with pytest.raises(GitError):
        repository.blobs.read(away)


def test_a_file_whose_new_content_is_not_here_counts_as_removed(
    origin: Sandbox, tmp_path: Path
) -> None:
    base = origin.commit("first", {"here/a.py": "a = 1\n", "away/b.py": "b = 1\n"})
    head = origin.commit("second", {"away/b.py": "b = 2\n"})
    clone = origin.clone_to(tmp_path / "clone", "--filter=blob:none", "--sparse")
    clone.git("sparse-checkout", "set", "here")
    assert WorkingCopy(clone.path).changes(base, head).removed == ("away/b.py",)


# Objects of its own


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_new_objects_are_written_apart_and_read_like_the_others(
    tmp_path: Path, object_format: str
) -> None:
    sandbox = Sandbox(tmp_path / 'a "name": of\\ sorts', f"--object-format={object_format}")
    sandbox.commit("first", {"a.py": "a = 1\n"})
    before = objects_in(sandbox.path / ".git")
    repository = WorkingCopy(sandbox.path, tmp_path / "apart:here")
    blob = repository.run("hash-object", "-w", "--stdin", stdin=b"new\n").decode().strip()
    assert repository.blobs.read(blob) == b"new\n"
    assert repository.read_path("HEAD", "a.py") == b"a = 1\n"
    assert objects_in(sandbox.path / ".git") == before
    assert len(objects_in(tmp_path / "apart:here")) == 1


def test_attributes_are_read_from_objects_that_are_kept_apart(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path / "repository")
    sandbox.commit("first", {"a.py": "", "b.py": ""})
    repository = WorkingCopy(sandbox.path, tmp_path / "apart")
    commit = commit_with(repository, ".gitattributes", f"a.py {GENERATED}\n".encode())
    assert attributes_at(repository, commit, ["a.py", "b.py"]) == {"a.py": {GENERATED: "set"}}


@pytest.mark.parametrize("kind", ["work tree", "submodule"])
def test_linked_work_trees_and_submodules_read_their_own_objects(
    origin: Sandbox, tmp_path: Path, kind: str
) -> None:
    origin.commit("first", {"a.py": "a = 1\n"})
    if kind == "work tree":
        path = tmp_path / "linked"
        origin.git("worktree", "add", "--quiet", str(path))
    else:
        whole = Sandbox(tmp_path / "whole")
        whole.git("submodule", "--quiet", "add", f"file://{origin.path}", "part")
        path = whole.path / "part"
    repository = WorkingCopy(path, tmp_path / "apart")
    assert repository.root == path
    assert repository.read_path("HEAD", "a.py") == b"a = 1\n"


def commit_with(repository: WorkingCopy, path: str, content: bytes) -> str:
    """A commit of a single file, which no ref names."""
    blob = repository.run("hash-object", "-w", "--stdin", stdin=content).decode().strip()
    tree = repository.run("mktree", stdin=f"100644 blob {blob}\t{path}\n".encode())
    names = {
        f"GIT_{who}_{what}": "ada" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    return repository.run("commit-tree", tree.decode().strip(), **names).decode().strip()


def objects_in(directory: Path) -> list[Path]:
    return sorted(path for path in directory.rglob("*") if path.is_file())
