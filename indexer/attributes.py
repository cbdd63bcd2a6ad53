"""Which paths `.gitattributes` marks as generated or vendored, at a commit rather than on disk.

`git check-attr --source` would do, from git 2.40 on. Here the commit's `.gitattributes` files go
into the index of an empty temporary repository that borrows the objects: any git can do that, it
costs the same in a large repository, and no attributes of the user or of `.git/info` interfere.
"""

import tempfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Final

from indexer.git import Repository
from indexer.listing import ATTRIBUTES_FILE, parse_tree
from indexer.records import TreeEntry

GENERATED: Final = "linguist-generated"
VENDORED: Final = "linguist-vendored"


def attributes_at(
    repository: Repository, commit: str, paths: Iterable[str]
) -> dict[str, dict[str, str]]:
    """The values of GENERATED and VENDORED for each path, as `git check-attr` words them.

    What is unspecified is absent, and so is a path that has neither.
    """
    wanted = list(paths)
    files = _attribute_files(repository, commit, wanted)
    if not files:
        return {}
    with tempfile.TemporaryDirectory() as directory:
        return _ask(repository, Path(directory), files, wanted)


def _attribute_files(repository: Repository, commit: str, paths: list[str]) -> list[TreeEntry]:
    """The `.gitattributes` of the root and of every directory above `paths`."""
    directories = {str(parent) for path in paths for parent in PurePosixPath(path).parents}
    names = sorted(
        ATTRIBUTES_FILE if directory == "." else f"{directory}/{ATTRIBUTES_FILE}"
        for directory in directories
    )
    found = []
    for start in range(0, len(names), 500):  # below every limit on the length of a command
        listing = repository.run(
            "ls-tree", "-z", "-l", "--full-tree", commit, "--", *names[start : start + 500]
        )
        found += parse_tree(listing)
    return [entry for entry in found if entry.mode.startswith("100")]


def _ask(
    repository: Repository, directory: Path, files: list[TreeEntry], paths: list[str]
) -> dict[str, dict[str, str]]:
    for entry in files:
        repository.read(entry.blob)  # in a partial clone, this fetches it
    borrowed = {
        "GIT_DIR": str(directory),
        "GIT_WORK_TREE": str(directory),
        "GIT_INDEX_FILE": str(directory / "index"),
        "GIT_OBJECT_DIRECTORY": str(repository.objects),
    }
    repository.run(
        "init", "--quiet", "--template=", f"--object-format={repository.object_format}",
        GIT_DIR=str(directory), GIT_WORK_TREE=str(directory),
    )  # fmt: skip
    index = b"".join(f"{entry.mode} {entry.blob}\t{entry.path}\0".encode() for entry in files)
    repository.run("update-index", "-z", "--index-info", stdin=index, **borrowed)
    answer = repository.run(
        "check-attr", "--cached", "-z", "--stdin", GENERATED, VENDORED,
        stdin=b"".join(path.encode() + b"\0" for path in paths), **borrowed,
    )  # fmt: skip
    return _marked(answer.decode().split("\0")[:-1])


def _marked(fields: list[str]) -> dict[str, dict[str, str]]:
    """`path, attribute, value` triples → the values that are specified."""
    marked: dict[str, dict[str, str]] = {}
    for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=True):
        if value != "unspecified":
            marked.setdefault(path, {})[name] = value
    return marked
