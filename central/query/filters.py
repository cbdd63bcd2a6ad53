"""The filters: their names, those of other tools, and the values that are names themselves."""

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final

from indexer.records.files import ChunkType


class FilterName(StrEnum):
    """What a filter looks at."""

    REPO = "repo"
    FILE = "file"
    LANG = "lang"
    SYM = "sym"
    TYPE = "type"
    OWNER = "owner"


class Match(StrEnum):
    """How a filter's value is compared."""

    SUBSTRING = "substring"
    GLOB = "glob"
    REGEX = "regex"
    EXACT = "exact"  # `lang:` and `type:`, whose values are names


NO_OWNER: Final = "none"  # the value of `owner:` for files without one


CASE: Final = "case"
CONTENT: Final = "content"  # another way to write a literal or a regular expression
NAMES: Final[Mapping[str, str]] = {
    **{name.value: name.value for name in FilterName},
    "r": FilterName.REPO,
    "f": FilterName.FILE,
    "path": FilterName.FILE,
    "l": FilterName.LANG,
    "language": FilterName.LANG,
    "symbol": FilterName.SYM,
    CASE: CASE,
    CONTENT: CONTENT,
}
TYPES: Final = frozenset({*(kind.value for kind in ChunkType), "file", "symbol"})
FOREIGN_TYPES: Final[Mapping[str, str]] = {
    "commit": "Files are searched, not commits.",
    "diff": "Files are searched, not commits.",
    "path": "Write type:file.",
    "repo": "Write repo: with a part of the name.",
}
NAMED_VALUES: Final = frozenset({FilterName.LANG, FilterName.TYPE})
_LONG_NAMES: Final = tuple(sorted(name for name in NAMES if len(name) > 2))
# Words of code and prose that differ in a letter from a filter's name.
_ORDINARY: Final = frozenset(
    {"cause", "clang", "context", "filed", "flang", "loner", "lower", "patch", "power", "report",
     "repro", "slang", "toner", "tower", "typed", "xpath"}
)  # fmt: skip
_SIMILARITY: Final = 0.8
_COLON_WORD: Final = re.compile(r"([a-z]+):(?!:|//|\s|\Z)")
_VALUE_START: Final = re.compile(r"[\w\"/*^]")


def filter_name(text: str, at: int = 0) -> str | None:
    """Return the name before a colon and a value at this position, if it is a filter's name.

    `file::open` and `file://host` are no filters.
    """
    found = _COLON_WORD.match(text, at)
    return found[1] if found and found[1] in NAMES else None


def misspelt_filter(text: str, at: int = 0) -> tuple[str, str] | None:
    """Return a name that is close to a filter's name, and that one; None for any other word."""
    found = _COLON_WORD.match(text, at)
    if found is None or found[1] in NAMES or found[1] in _ORDINARY:
        return None
    if not _VALUE_START.match(text, found.end()):
        return None
    similar = max(_LONG_NAMES, key=lambda name: SequenceMatcher(None, found[1], name).ratio())
    if SequenceMatcher(None, found[1], similar).ratio() < _SIMILARITY:
        return None
    return found[1], similar
