"""Lines of a project's source files around results; never of files outside of the project."""

import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Final

from aeterna_code_search.integrations.chunkhound.records import SearchResult
from indexer.decoding import Decoded, decode_text

CHUNKHOUND_EXPANDED_CHARACTERS: Final = 20_000
CHUNKHOUND_SOURCE_BYTES: Final = 4_194_304


def expand_result(root: Path, result: SearchResult, lines: int) -> SearchResult:
    """Add `lines` before and after a result from the current content of its file.

    The result is unchanged if the file cannot be read, is outside of the project, or no longer has
    these lines.
    """
    first, last = result.start_line, result.end_line
    if first is None or last is None or not 1 <= first <= last:
        return result
    content = read_source(root, result.file)
    if content is None:
        return result
    file_lines = content.removesuffix("\n").split("\n")
    if first > len(file_lines):
        return result
    start, end = max(1, first - lines), min(len(file_lines), last + lines)
    text = "\n".join(file_lines[start - 1 : end])
    return replace(
        result,
        content=text[:CHUNKHOUND_EXPANDED_CHARACTERS],
        truncated=len(text) > CHUNKHOUND_EXPANDED_CHARACTERS,
        content_start_line=start,
        content_end_line=end,
    )


def read_source(root: Path, name: str) -> str | None:
    """Read a regular file whose resolved path is below `root`; None for other files."""
    try:
        top = root.resolve(strict=True)
        path = (top / name).resolve(strict=True)
        if not path.is_relative_to(top):
            return None
        with open(path, "rb", opener=_open_without_waiting) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > CHUNKHOUND_SOURCE_BYTES:
                return None
            content = file.read(CHUNKHOUND_SOURCE_BYTES + 1)
    except (OSError, RuntimeError, ValueError):  # RuntimeError: a loop of links
        return None
    if len(content) > CHUNKHOUND_SOURCE_BYTES:
        return None
    decoded = decode_text(name, content)
    return decoded.text if isinstance(decoded, Decoded) else content.decode("utf-8", "replace")


def _open_without_waiting(path: str, flags: int) -> int:
    """Open without waiting for a pipe or following a link that appeared meanwhile."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
