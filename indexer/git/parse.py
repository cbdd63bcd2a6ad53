"""Parsers of git's output: raw diffs, trees, remotes, error messages. Pure functions.

Paths are bytes in git and text elsewhere. A path that cannot be stored gets a placeholder that is
the same in every run, so that its removal matches it.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from sys import intern
from typing import Final
from urllib.parse import urlsplit

from indexer.errors import GitError
from indexer.output.terminal import MESSAGE_CHARACTERS, foreign_line
from indexer.process_group import INDEXING_MEMORY_BYTES
from indexer.records.files import PATH_BYTES, SkipReason, TreeEntry

GIT_RECORD_BYTES: Final = 1_048_576  # of a path in a listing, or of a line of a patch
SUBMODULE_MODE = "160000"
ATTRIBUTES_FILE = ".gitattributes"
EDITOR_CONFIG = ".editorconfig"
ACTION_FILES = frozenset({"action.yml", "action.yaml"})  # of a GitHub action

_NEVER_CHECKED_OUT = frozenset({b"", b".", b"..", b".git"})
_CUT_BYTES = 900
_DIGEST_DIGITS = 16
_STAND_IN_ENDING = re.compile(rf"…[0-9a-f]{{{_DIGEST_DIGITS}}}\Z")
_ESCAPES = {
    0x07: "\\a", 0x08: "\\b", 0x09: "\\t", 0x0A: "\\n", 0x0B: "\\v", 0x0C: "\\f", 0x0D: "\\r",
    0x22: '\\"', 0x5C: "\\\\",
}  # fmt: skip
_SIGNS_OF_DAMAGE = (
    "Could not read", "unable to read", "not a tree", "is corrupt", "is empty", "in tree entry",
    "bad object", "bad tree object", "too-short tree", "truncated",
)  # fmt: skip
_OUT_OF_MEMORY = re.compile(r"^(fatal|error): .*out of memory", re.IGNORECASE | re.MULTILINE)
_SCP_REMOTE = re.compile(r"(?:[^@/]+@)?(?P<host>[^:/]{2,}):(?P<path>[^/].*)")


@dataclass(frozen=True, slots=True)
class Changes:
    """The difference between two commits. A rename is a removal and an entry.

    A diff has no sizes: `entries` have size 0 until the blobs are read.
    """

    entries: tuple[TreeEntry, ...]
    removed: tuple[str, ...]


def split_records(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Split output that comes in parts into the records that a NUL ends. Raises GitError."""
    return _split(parts, b"\0")


def split_lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Split output that comes in parts into lines. Raises GitError."""
    return _split(parts, b"\n")


def split_pairs(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Split the output of `git diff-tree --raw -z` into records: fields, a tab, the path."""
    fields = split_records(parts)
    return map(b"\t".join, zip(fields, fields, strict=True))


def cut_lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Split output that comes in parts into lines, of which long ones are cut.

    A NUL after the cut is kept as the last byte, since it makes a file binary.
    """
    rest = b""
    for part in parts:
        *lines, rest = (rest + part).split(b"\n")
        yield from lines
        if len(rest) > GIT_RECORD_BYTES:
            rest = rest[:GIT_RECORD_BYTES] + b"\0" * (b"\0" in rest)
    yield rest


def _split(parts: Iterable[bytes], end: bytes) -> Iterator[bytes]:
    rest = b""
    for part in parts:
        *records, rest = (rest + part).split(end)
        yield from records
        if len(rest) > GIT_RECORD_BYTES:
            raise GitError(
                f"git lists a path of more than {GIT_RECORD_BYTES:,} bytes: remove it from the "
                "repository"
            )


def parse_tree(records: Iterable[bytes]) -> list[TreeEntry]:
    """Parse `git ls-tree -r -z -l --full-tree`, in git's order; a submodule has size 0.

    A path that a malformed tree has twice is listed once, with the reason to skip it.
    """
    return _listed_once(map(_tree_entry, records))


def _tree_entry(record: bytes) -> TreeEntry:
    head, _, raw_path = record.partition(b"\t")
    mode, _kind, blob, size = head.decode("ascii").split()
    if size == "BAD":
        raise missing_blob(blob)
    path, skipped = storable_path(raw_path)
    return TreeEntry(path, intern(mode), blob, 0 if size == "-" else int(size), skipped)


def _listed_once(entries: Iterable[TreeEntry]) -> list[TreeEntry]:
    by_path: dict[str, TreeEntry] = {}
    for entry in entries:
        first = by_path.setdefault(entry.path, entry)
        if first is not entry and not first.skipped:
            by_path[entry.path] = replace(first, skipped=SkipReason.PATH_INVALID)
    return list(by_path.values())


def repeats_paths(names: Iterable[bytes]) -> bool:
    """Whether a path is listed twice."""
    listed: set[bytes] = set()
    for name in names:
        if name in listed:
            return True
        listed.add(name)
    return False


def parse_diff(records: Iterable[bytes]) -> Changes:
    """Parse `git diff-tree -r -z --no-renames --raw --no-abbrev`: statuses A, M, T and D.

    `records` are those of split_pairs.

    Raises GitError for any other status, which would be a change that no run indexes.
    """
    entries, removed = [], []
    for record in records:
        head, _, raw_path = record.partition(b"\t")
        _old_mode, mode, _old_blob, blob, status = head.removeprefix(b":").decode("ascii").split()
        path, skipped = storable_path(raw_path)
        if status in {"A", "M", "T"}:
            entries.append(TreeEntry(path, intern(mode), blob, 0, skipped))
        elif status == "D":
            removed.append(path)
        else:
            raise GitError(f"git diff-tree returned the unknown status {status!r}; report this")
    return Changes(tuple(_listed_once(entries)), tuple(removed))


def storable_path(raw: bytes) -> tuple[str, SkipReason | None]:
    """Return a path as text, or its placeholder and the reason to skip it.

    A placeholder ends in "…" and a digest of the raw path. The path before it is cut if it is long,
    and quoted as git does if it is not UTF-8; an invalid path has its slashes quoted too. A real
    path with such an ending also gets a placeholder, so that no two paths have the same name.
    """
    reason = SkipReason.PATH_TOO_LONG
    try:
        path = raw.decode()
    except UnicodeDecodeError:
        path, reason = _quoted(raw), SkipReason.PATH_NOT_UTF8
    if not _NEVER_CHECKED_OUT.isdisjoint(raw.lower().split(b"/")):
        path, reason = _quoted(raw).replace("/", r"\057"), SkipReason.PATH_INVALID
    elif path.encode() == raw and len(raw) <= PATH_BYTES and not _STAND_IN_ENDING.search(path):
        return path, None
    digest = hashlib.sha256(raw).hexdigest()[:_DIGEST_DIGITS]
    cut = path.encode()[:_CUT_BYTES].decode(errors="ignore")
    return f"{cut}…{digest}", reason


def _quoted(raw: bytes) -> str:
    """Quote in C style, like git's quote.c with core.quotePath on."""
    quoted = (
        _ESCAPES.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}")
        for byte in raw
    )
    return '"' + "".join(quoted) + '"'


def web_url(remote: str) -> str | None:
    """Return the https address of a remote; None if the remote is a path.

    Without user, password, query and `.git`. `git@host:owner/name.git` and ssh:// are the same
    location on every forge. The port of ssh serves no pages and is dropped; a port of http(s) is
    kept.
    """
    scp = _SCP_REMOTE.fullmatch(remote)
    if scp and "://" not in remote:
        return _https(scp["host"], scp["path"])
    try:
        parts = urlsplit(remote)
        port = parts.port
    except ValueError:  # no valid port or address
        return None
    if parts.scheme not in {"https", "http", "ssh", "git"} or not parts.hostname:
        return None
    host = parts.hostname
    if port and parts.scheme in {"https", "http"}:
        host = f"{host}:{port}"
    return _https(host, parts.path)


def _https(host: str, path: str) -> str:
    return f"https://{host}/{path.strip('/').removesuffix('.git')}"


def repository_name(remote: str) -> str:
    """Return the last part of a remote's address, also of a path, without `.git`; "" for none."""
    path = (web_url(remote) or remote).rstrip("/\\").removesuffix("/.git")
    name = re.split(r"[/\\:]", path)[-1].removesuffix(".git")
    return "" if name in {".", ".."} else name


def symref_target(listing: bytes) -> str | None:
    """Return the target of the first ref in `git ls-remote --symref`; None if it is a commit."""
    target, _, _ = listing.decode(errors="replace").partition("\t")
    return target.removeprefix("ref: ") if target.startswith("ref: ") else None


def blob_size(blob: str, line: bytes) -> int:
    """Return the size in a line of `git cat-file --batch-check=%(objectsize)`."""
    if line.endswith(b"missing"):
        raise missing_blob(blob)
    return int(line)


def missing_blob(blob: str) -> GitError:
    """Return the error of a clone without a file's content."""
    return GitError(
        f"the blob {blob} is missing from this clone: fetch it again with `git fetch --refetch`, "
        "or clone the repository again; `git fsck` lists other missing objects"
    )


def explain_git_error(complaint: str) -> str:
    """Return the end of git's error message in one line, with advice where the cause is known."""
    message = foreign_line(complaint[-MESSAGE_CHARACTERS:])
    if _OUT_OF_MEMORY.search(complaint):
        return (
            f"{message}. It may take {INDEXING_MEMORY_BYTES // 1024**2:,} MiB "
            "of memory, if the machine has as much: the repository has objects that are too large"
        )
    if any(sign in complaint for sign in _SIGNS_OF_DAMAGE):
        return f"{message}. The clone is damaged: clone it again; `git fsck` lists the damage"
    if "dubious ownership" in complaint:
        return (
            "another user owns the repository's directory; if you trust it, run "
            "`git config --global --add safe.directory <directory>` (in a container: '*')"
        )
    return message or "no message"
