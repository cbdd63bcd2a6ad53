"""A place in a file as tools write it, alone or before a message: `path:12`, `path#L12`, a URL."""

import re
from typing import Final
from urllib.parse import unquote

from central.query.pasted.frames import Frame
from central.query.pasted.paths import plain_path
from indexer.limits import QUERY_CHARACTERS

_PLACE: Final = re.compile(
    r"""(?:(?:at|in|from|File|file|-->|->)\s+)?["'`(<]?
    (?P<path>(?:[a-z][a-z+-]{1,20}:/{1,3}(?:[\w.-]{1,255}(?::\d{1,5})?/)?|[A-Za-z]:[\\/])?
        [^\s:"'`\#()<>?,]{1,1024})["'`>]?
    (?: :(?P<line>\d{1,7})(?:-\d{1,7}|(?::|\.)(?P<column>\d{1,6})(?:-\d{1,7})?)?
      | (?:\?[^\s\#]{0,200})?\#L(?P<hash>\d{1,7})(?:C\d{1,6})?(?:-L?\d{1,7}(?:C\d{1,6})?)?
      | \((?P<bracket>\d{1,7})(?:,\s?\d{1,6})?\)
      | ,?\s(?:on\s)?line\s(?P<word>\d{1,7})
    )["'`)>]?(?::(?:\s.*)?|,)?\s*\Z""",
    re.VERBOSE | re.DOTALL,
)
_ARROW: Final = re.compile(r"\s-->\s{1,8}(?P<place>[^\s:]{1,1024}:\d{1,7}:\d{1,6})(?!\S)")  # rustc
# `example.com:80` is a place too, but no file is called so; `10.0.0.1:80` and `x:1` are none.
_FILE: Final = re.compile(r"(?:.*/)?(?:[^/]*\.[A-Za-z][\w+-]{0,9}|[A-Z]\w*file|\.\w+)\Z", re.DOTALL)
_BLOB: Final = re.compile(
    r"https?://[^/\s]+/(?P<project>[^\s?#]+?)/(?:-/)?(?:blob|blame|raw|src/branch|src/commit)/"
    r"(?P<ref>[^/\s]+)/(?P<path>[^\s?#]+)"
)
_PAGE: Final = re.compile(
    r"https?://[^/\s]+/o/[^/\s]+/r/(?P<project>[^\s?#]+?)/file/(?P<path>[^\s?#]+)"
)


def parse_place(text: str) -> Frame | None:
    """Return the place that a text is, or begins with before a colon and a message.

    So is the one behind a message and `-->`. A repository that the text names is in front of the
    path. None for any other text.
    """
    if len(text) > QUERY_CHARACTERS or not text[:1].strip():
        return None
    behind = _ARROW.search(text)
    found = _PLACE.match(behind["place"] if behind else text)
    if found is None:
        return None
    path = _path(found["path"])
    if not path or not _FILE.fullmatch(path):
        return None
    line = next(filter(None, (found[name] for name in ("line", "hash", "bracket", "word"))))
    return Frame(path, int(line), int(found["column"] or 0))


def _path(written: str) -> str:
    for pattern in (_BLOB, _PAGE):
        if found := pattern.fullmatch(written):
            return unquote(f"{found['project']}/{found['path']}")
    return plain_path(written)
