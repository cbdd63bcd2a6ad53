"""Lines of a project's source files, around what an index names; never of a file outside."""

import os
import stat
from dataclasses import replace
from pathlib import Path

from indexer.limits import CHUNKHOUND_EXPANDED_CHARACTERS, CHUNKHOUND_SOURCE_BYTES
from integrations.chunkhound.records import SearchResult


def expand_result(root: Path, result: SearchResult, lines: int) -> SearchResult:
    """The result with so many lines before and after it, as they are in its file now.

    It stays as it is where the file cannot be read, is outside of the project, or has no such
    lines any more.
    """
    first, last = result.start_line, result.end_line
    if first is None or last is None or not 1 <= first <= last:
        return result
    content = read_source(root, result.file)
    if content is None:
        return result
    there = content.removesuffix("\n").split("\n")
    if first > len(there):
        return result
    start, end = max(1, first - lines), min(len(there), last + lines)
    text = "\n".join(there[start - 1 : end])
    return replace(
        result,
        content=text[:CHUNKHOUND_EXPANDED_CHARACTERS],
        truncated=len(text) > CHUNKHOUND_EXPANDED_CHARACTERS,
        content_start_line=start,
        content_end_line=end,
    )


def read_source(root: Path, name: str) -> str | None:
    """The text of a regular file below `root`, wherever links lead; None if it is none of these."""
    try:
        top = root.resolve(strict=True)
        path = (top / name).resolve(strict=True)
        if not path.is_relative_to(top):
            return None
        # Neither a pipe is waited for nor a link followed that has come meanwhile.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, RuntimeError, ValueError):
        return None
    with open(descriptor, "rb") as file:  # noqa: PTH123 (of a descriptor)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > CHUNKHOUND_SOURCE_BYTES:
            return None
        content = file.read(CHUNKHOUND_SOURCE_BYTES + 1)
    return content.decode("utf-8", "replace") if len(content) <= CHUNKHOUND_SOURCE_BYTES else None
