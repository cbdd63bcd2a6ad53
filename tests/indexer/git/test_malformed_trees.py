"""Trees that git never writes but reads: what cannot be indexed is skipped, the rest is indexed."""

import sys
from binascii import unhexlify

import pytest

from indexer.errors import ConfigurationError, GitError
from indexer.git.parse import SUBMODULE_MODE
from indexer.git.repository import Repository
from indexer.pipeline.plan import selection_rules
from indexer.records.files import SkipReason
from tests.indexer.repositories import Sandbox

MISSING = "01" * 20
FILE, DIRECTORY = b"100644", b"40000"
Entry = tuple[bytes, bytes, str]


@pytest.fixture(params=["sha1", "sha256"])
def sandbox(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Sandbox:
    return Sandbox(tmp_path_factory.mktemp("trees"), f"--object-format={request.param}")


def blob(sandbox: Sandbox, content: bytes = b"x = 1\n") -> str:
    return sandbox.git("hash-object", "-w", "--stdin", stdin=content)


def tree(sandbox: Sandbox, *entries: Entry) -> str:
    """As it is written here, whatever git thinks of it."""
    data = b"".join(mode + b" " + name + b"\0" + unhexlify(of) for mode, name, of in entries)
    command = ("hash-object", "-t", "tree", "-w", "--literally", "--stdin")
    return sandbox.git(*command, stdin=data)


def commit(sandbox: Sandbox, *entries: Entry, parent: str = "") -> str:
    follows = ["-p", parent] if parent else []
    return sandbox.git("commit-tree", *follows, "-m", "malformed", tree(sandbox, *entries))


def skipped(repository: Repository, head: str) -> list[tuple[str, SkipReason | None]]:
    return [(entry.path.partition("…")[0], entry.skipped) for entry in repository.tree(head)]


@pytest.mark.parametrize("name", [b"..", b".", b".git", b".GIT", b"/abs", b"a//b", b"../../etc"])
@pytest.mark.parametrize("is_directory", [False, True])
def test_a_path_that_is_never_checked_out_is_skipped_and_the_others_are_not(
    sandbox: Sandbox, name: bytes, *, is_directory: bool
) -> None:
    of = blob(sandbox)
    bad = (DIRECTORY, name, tree(sandbox, (FILE, b"a.py", of))) if is_directory else None
    head = commit(sandbox, bad or (FILE, name, of), (FILE, b"ok.py", of))
    path = (name + b"/a.py" if is_directory else name).decode().replace("/", r"\057")
    repository = Repository(sandbox.path)
    expected = [(f'"{path}"', SkipReason.PATH_INVALID), ("ok.py", None)]
    assert skipped(repository, head) == expected
    for entry in repository.tree(head):
        assert {"", ".", ".."}.isdisjoint(entry.path.split("/"))
    base = commit(sandbox, (FILE, b"before.py", of))
    changes = repository.changes(base, head)
    assert [entry.path for entry in changes.entries] == [
        entry.path for entry in repository.tree(head)
    ]
    assert set(repository.changes(head, base).removed) == {
        entry.path for entry in repository.tree(head)
    }
    repository.close()


def test_a_path_that_a_tree_has_twice_is_listed_once_and_skipped(sandbox: Sandbox) -> None:
    one, two = blob(sandbox, b"1\n"), blob(sandbox, b"2\n")
    head = commit(sandbox, (FILE, b"a", one), (FILE, b"a", two), (FILE, b"b", one))
    repository = Repository(sandbox.path)
    assert skipped(repository, head) == [("a", SkipReason.PATH_INVALID), ("b", None)]
    assert {entry.path: entry.blob for entry in repository.tree(head)} == {"a": one, "b": one}
    repository.close()


def test_a_path_that_was_or_is_there_twice_needs_a_full_run(sandbox: Sandbox) -> None:
    one, two, three = (blob(sandbox, str(n).encode()) for n in range(3))
    plain = commit(sandbox, (FILE, b"a", one))
    twice = commit(sandbox, (FILE, b"a", one), (FILE, b"a", two), parent=plain)
    again = commit(sandbox, (FILE, b"a", one), (FILE, b"a", three), parent=twice)
    other = commit(sandbox, (FILE, b"a", one), (FILE, b"b", one), parent=plain)
    repository = Repository(sandbox.path)
    assert repository.selection_changed(plain, twice)
    assert repository.selection_changed(twice, again)
    assert repository.selection_changed(again, plain)
    assert not repository.selection_changed(plain, other)
    repository.close()


def test_a_file_and_a_directory_of_one_name_and_names_that_differ_by_case_are_indexed(
    sandbox: Sandbox,
) -> None:
    of = blob(sandbox)
    inner = tree(sandbox, (FILE, b"b.py", of))
    head = commit(sandbox, (FILE, b"A", of), (FILE, b"a", of), (DIRECTORY, b"a", inner))
    repository = Repository(sandbox.path)
    assert skipped(repository, head) == [("A", None), ("a", None), ("a/b.py", None)]
    repository.close()


def test_odd_modes_are_those_that_git_takes_them_for(sandbox: Sandbox) -> None:
    of = blob(sandbox)
    modes = [b"0", b"100664", b"100777", b"120777", b"160644"]
    head = commit(sandbox, *((mode, b"f%d" % n, of) for n, mode in enumerate(modes)))
    repository = Repository(sandbox.path)
    assert [entry.mode for entry in repository.tree(head)] == [
        SUBMODULE_MODE, "100644", "100755", "120000", SUBMODULE_MODE,
    ]  # fmt: skip
    repository.close()


@pytest.mark.parametrize("kind", ["full", "incremental"])
def test_a_missing_blob_is_named_with_what_to_do(sandbox: Sandbox, kind: str) -> None:
    of = blob(sandbox)
    missing = "01" * (len(of) // 2)
    head = commit(sandbox, (FILE, b"gone.py", missing))
    base = commit(sandbox, (FILE, b"a.py", of))
    repository = Repository(sandbox.path)
    with pytest.raises(GitError, match=f"{missing} is missing .* `git fetch --refetch`"):
        repository.tree(head) if kind == "full" else repository.changes(base, head)
    repository.close()


@pytest.mark.parametrize(
    "entry",
    [
        (DIRECTORY, b"gone", "missing"),
        (DIRECTORY, b"file", "blob"),
        (FILE, b"", "blob"),
        (b"abc", b"mode", "blob"),
    ],
)
def test_a_tree_that_git_cannot_read_is_an_error_with_what_to_do(
    sandbox: Sandbox, entry: Entry
) -> None:
    of = blob(sandbox)
    mode, name, what = entry
    head = commit(sandbox, (mode, name, of if what == "blob" else "01" * (len(of) // 2)))
    base = commit(sandbox, (FILE, b"a.py", of))
    repository = Repository(sandbox.path)
    for ask in (lambda: repository.tree(head), lambda: repository.changes(base, head)):
        with pytest.raises(GitError, match="The clone is damaged: clone it again"):
            ask()
    repository.close()


def test_a_damaged_blob_is_an_error_with_what_to_do_and_the_next_is_read(sandbox: Sandbox) -> None:
    damaged, whole = blob(sandbox, b"damaged\n"), blob(sandbox, b"whole\n")
    path = sandbox.path / ".git/objects" / damaged[:2] / damaged[2:]
    path.chmod(0o644)
    path.write_bytes(b"\0" * 20)
    repository = Repository(sandbox.path)
    with pytest.raises(GitError, match="`git fsck` lists"):
        repository.blobs.read(damaged)
    assert repository.blobs.read(whole) == b"whole\n"
    repository.close()


def test_directories_without_end_are_a_path_that_is_too_long(sandbox: Sandbox) -> None:
    of = blob(sandbox)
    depth = 1_500
    lines = tree(sandbox, (FILE, b"deep.py", of))
    for _ in range(depth):
        lines = sandbox.git("mktree", stdin=f"040000 tree {lines}\td\n".encode())
    head = sandbox.git("commit-tree", "-m", "deep", lines)
    repository = Repository(sandbox.path)
    (entry,) = repository.tree(head)
    assert entry.skipped is SkipReason.PATH_TOO_LONG
    assert depth > sys.getrecursionlimit()
    repository.close()


def test_settings_that_are_too_large_are_refused_before_they_are_read(sandbox: Sandbox) -> None:
    head = sandbox.commit("large", {".codesearch.toml": "#" * 70_000})
    repository = Repository(sandbox.path)
    with pytest.raises(ConfigurationError, match="larger than 65536 bytes: shorten it"):
        selection_rules(repository, head)
    repository.close()


def test_a_branch_whose_name_is_not_utf8_is_named_as_far_as_it_can_be(sandbox: Sandbox) -> None:
    sandbox.commit("first", {"a.py": ""})
    (sandbox.path / ".git" / "HEAD").write_bytes(b"ref: refs/heads/\xff\n")
    repository = Repository(sandbox.path)
    assert repository.head_ref() == "refs/heads/\N{REPLACEMENT CHARACTER}"
    repository.close()
