"""Hashes of files, or reasons why they are not uploaded; cached for unchanged files."""

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aeterna_code_search.integrations.codequery.discovery import (
    Candidate,
    DiscoveredFiles,
    read_inside,
)
from aeterna_code_search.integrations.codequery.private_files import read_private, write_private
from aeterna_code_search.integrations.codequery.retry import Deadline
from aeterna_code_search.integrations.codequery.secret_files import RULES, is_secret_content
from indexer.records.files import FILE_BYTES

# A file that is younger than this may change again without new times.
_SETTLED_NS: Final = 2_000_000_000
_RULES: Final = hashlib.sha256(RULES + b"1").hexdigest()[:16]
_REASON: Final = "!"  # prefix of a reason in place of a hash


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file that may be uploaded."""

    hash: str
    size: int


def verdict(path: str, content: bytes | None) -> tuple[str, str]:
    """Return the content's hash and "", or "" and the reason why it is not uploaded."""
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
    root: Path,
    discovered: DiscoveredFiles,
    cache_path: Path,
    deadline: Deadline,
    *,
    keep_others: bool = False,
) -> dict[str, LocalFile]:
    """Return the candidates with their hashes; add rejected ones to `discovered.skipped`.

    Only files whose size, times or inode changed since the last call are read. `keep_others`: the
    candidates are a subset, so cached hashes of other files stay. Raises CodeQueryError.
    """
    cached = _read_cache(cache_path)
    files: dict[str, LocalFile] = {}
    settled: dict[str, list[Any]] = {}
    for candidate in discovered.candidates:
        path, stamp = candidate.path, list(candidate.stamp)
        row = cached.get(path)
        if not (isinstance(row, list) and row[:-1] == stamp and isinstance(row[-1], str)):
            deadline.check("reading files")
            row = [*stamp, _read(root, candidate)]
        if _is_settled(candidate):
            settled[path] = row
        if row[-1].startswith(_REASON):
            discovered.skipped[path] = row[-1].removeprefix(_REASON)
        else:
            files[path] = LocalFile(row[-1], candidate.size)
    if any(cached.get(path) != row for path, row in settled.items()):
        document = {"rules": _RULES, "files": {**cached, **settled} if keep_others else settled}
        write_private(cache_path, json.dumps(document, separators=(",", ":")).encode())
    return files


def _read(root: Path, candidate: Candidate) -> str:
    digest, reason = verdict(candidate.path, read_inside(root, candidate.path))
    return digest or f"{_REASON}{reason}"


def _is_settled(candidate: Candidate) -> bool:
    _, mtime, ctime, _ = candidate.stamp
    return max(mtime, ctime) < time.time_ns() - _SETTLED_NS


def _read_cache(path: Path) -> Mapping[str, Any]:
    """Read the hashes that were cached with the same rules; {} if the file is damaged."""
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
