"""Commits that are written as a test says, whatever git thinks of them."""

from collections.abc import Mapping

from tests.indexer.repositories import Sandbox


def write_tree(sandbox: Sandbox, files: Mapping[str, str]) -> str:
    """The tree of some files in no directory."""
    blobs = {
        text: sandbox.git("hash-object", "-w", "--stdin", stdin=text.encode())
        for text in set(files.values())
    }
    listing = "".join(f"100644 blob {blobs[text]}\t{path}\0" for path, text in files.items())
    return sandbox.git("mktree", "-z", stdin=listing.encode())


def write_commit(
    sandbox: Sandbox,
    files: Mapping[str, str] | None = None,
    *parents: str,
    date: str = "12 +0000",
    message: bytes = b"message\n",
) -> str:
    """A commit as it is written here, with the date and message given."""
    root = write_tree(sandbox, files or {})
    lines = [
        f"tree {root}",
        *(f"parent {parent}" for parent in parents),
    ]
    lines += [f"author Ada <Ada@Example.com> {date}", f"committer C <c@example.com> {date}", "", ""]
    command = ("hash-object", "-t", "commit", "-w", "--literally", "--stdin")
    return sandbox.git(*command, stdin="\n".join(lines).encode() + message)
