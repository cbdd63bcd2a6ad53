"""What files contain: their SHA-256, or why they are not uploaded; kept for unchanged files."""

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from indexer.limits import FILE_BYTES
from integrations.codequery.discovery import Candidate, Found, read_inside
from integrations.codequery.private_files import read_private, write_private
from integrations.codequery.retry import Deadline
from integrations.codequery.secret_files import RULES, is_secret_content

# A file that was written so shortly before it was read may be written again with the same times.
_SETTLED_NS: Final = 2_000_000_000
_RULES: Final = hashlib.sha256(RULES + b"1").hexdigest()[:16]
_REASON: Final = "!"  # before a reason that is kept in place of a hash


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file that may be uploaded."""

    hash: str
    size: int


def verdict(path: str, content: bytes | None) -> tuple[str, str]:
    """The content's hash and "", or "" and why the file is not uploaded."""
    if content is None:
        return "", "changed while it was read"
    if not content:
        return "", "empty"
    if len(content) > FILE_BYTES:
        return "", f"larger than {FILE_BYTES:,} bytes"
    if b"\0" in content or not _is_utf8(content):
        return "", "binary"
    if is_secret_content(path, content):
        return "", "looks like a secret"
    return hashlib.sha256(content).hexdigest(), ""


def local_files(
    root: Path, found: Found, kept_in: Path, deadline: Deadline, *, keep_others: bool = False
) -> dict[str, LocalFile]:
    """The candidates with their hashes; those left out are moved to `found.skipped`.

    Only files whose size, times or inode changed since the last call are read. `keep_others`:
    the candidates are not all that there are. Raises CodeQueryError.
    """
    kept = _kept(kept_in)
    files: dict[str, LocalFile] = {}
    settled: dict[str, list[Any]] = {}
    for candidate in found.candidates:
        path, stamp = candidate.path, list(candidate.stamp)
        told = kept.get(path)
        if not (isinstance(told, list) and told[:-1] == stamp and isinstance(told[-1], str)):
            deadline.check("reading files")
            told = [*stamp, _read(root, candidate)]
        if _is_settled(candidate):
            settled[path] = told
        if told[-1].startswith(_REASON):
            found.skipped[path] = told[-1].removeprefix(_REASON)
        else:
            files[path] = LocalFile(told[-1], candidate.size)
    if any(kept.get(path) != told for path, told in settled.items()):
        document = {"rules": _RULES, "files": {**kept, **settled} if keep_others else settled}
        write_private(kept_in, json.dumps(document, separators=(",", ":")).encode())
    return files


def _read(root: Path, candidate: Candidate) -> str:
    digest, reason = verdict(candidate.path, read_inside(root, candidate.path))
    return digest or f"{_REASON}{reason}"


def _is_settled(candidate: Candidate) -> bool:
    _, mtime, ctime, _ = candidate.stamp
    return max(mtime, ctime) < time.time_ns() - _SETTLED_NS


def _kept(path: Path) -> Mapping[str, Any]:
    """What was kept by the same rules; nothing if the file is damaged: it is made again."""
    try:
        document = json.loads(read_private(path) or b"{}")
        files = document["files"] if document["rules"] == _RULES else {}
    except (ValueError, LookupError, TypeError, RecursionError):
        return {}
    return files if isinstance(files, dict) else {}


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
