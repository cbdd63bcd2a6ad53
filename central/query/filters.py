"""The filters: their names and what their values are, and what other tools call them."""

import re
from collections.abc import Collection, Mapping
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final, NamedTuple

from indexer.records.files import ChunkType


class FilterName(StrEnum):
    """What a filter looks at."""

    REPO = "repo"
    REV = "rev"
    FILE = "file"
    LANG = "lang"
    SYM = "sym"
    TYPE = "type"
    OWNER = "owner"
    AUTHOR = "author"
    BEFORE = "before"
    AFTER = "after"


class Match(StrEnum):
    """How a filter's value is compared."""

    SUBSTRING = "substring"
    GLOB = "glob"
    REGEX = "regex"
    EXACT = "exact"  # names, dates, addresses


NO_OWNER: Final = "none"  # the value of `owner:` for files without one


CASE: Final = "case"
CONTENT: Final = "content"  # another way to write a literal or a regular expression


class FilterHelp(NamedTuple):
    """What the value of a filter is; `also` are other names of it."""

    also: tuple[str, ...]
    value: str
    example: str


# The texts are Markdown, as in docs/reference/query.md.
FILTERS: Final[Mapping[str, FilterHelp]] = {
    FilterName.REPO: FilterHelp(
        ("r",),
        "a part of the repository's name, a glob or `/regex/`; upper and lower case are the same",
        "repo:auth token",
    ),
    FilterName.REV: FilterHelp(
        (),
        "the branches to search in place of the default one: a name or a pattern, several with `:` "
        "between them; `HEAD` is the default branch; beside the other terms only",
        "rev:release/* retry",
    ),
    FilterName.FILE: FilterHelp(
        ("f", "path"), "a part of the path, a glob or `/regex/`", "file:*.py retry"
    ),
    FilterName.LANG: FilterHelp(
        ("l", "language"),
        "a language, such as `python`, or a common name of one, such as `py` or `c++`",
        'lang:py "import"',
    ),
    FilterName.SYM: FilterHelp(
        ("symbol",), "a part of a definition's name, a glob or `/regex/`", "sym:retry"
    ),
    FilterName.TYPE: FilterHelp(
        (),
        "`function`, `method`, `class`, `comment`, `module`, `text`; `file`; `symbol`; `commit`; "
        "`diff`: lines that commits added or removed",
        "type:symbol retry",
    ),
    FilterName.OWNER: FilterHelp(
        (),
        "who owns the file by CODEOWNERS: `@acme/platform`, `platform`, `@acme/*`, `/regex/`; "
        "`none`: files without one; upper and lower case are the same",
        "owner:@acme/platform retry",
    ),
    FilterName.AUTHOR: FilterHelp(
        (),
        "with `type:commit` or `type:diff`: a part of the author's address; the whole address "
        "where the organisation stores digests",
        "type:commit author:alice@example.com retry",
    ),
    FilterName.BEFORE: FilterHelp(
        (),
        "with `type:commit` or `type:diff`: committed before a day, `2026-01-31`, a time, or so "
        "long ago: `12h`, `3d`, `2w`, `6mo`, `1y`",
        "type:commit before:2w retry",
    ),
    FilterName.AFTER: FilterHelp(
        (),
        "the same: committed at this time or later",
        'type:diff after:2026-01-31 "token"',
    ),
    CASE: FilterHelp((), "`yes`, `no` or `auto`; for the whole query, once", 'case:yes "Token"'),
    CONTENT: FilterHelp(
        (),
        "another way to write a literal or a regular expression: "
        '`content:word`, `content:"a b"`, `content:/x/`',
        "content:token",
    ),
}
# Filters only where commits are searched, as `is_of_commits` says; else these are words.
COMMIT_FILTERS: Final = frozenset({FilterName.AUTHOR, FilterName.BEFORE, FilterName.AFTER})
NAMES: Final[Mapping[str, str]] = {
    **{str(name): str(name) for name in FILTERS if name not in COMMIT_FILTERS},
    **{other: str(name) for name, filter_help in FILTERS.items() for other in filter_help.also},
}
NAMES_OF_COMMITS: Final[Mapping[str, str]] = {
    **NAMES,
    **{str(name): str(name) for name in COMMIT_FILTERS},
}
COMMIT_TYPES: Final = frozenset({"commit", "diff"})
TYPES: Final = frozenset({*(kind.value for kind in ChunkType), "file", "symbol", *COMMIT_TYPES})
FOREIGN_TYPES: Final[Mapping[str, str]] = {
    "path": "Write type:file.",
    "repo": "Write repo: with a part of the name.",
}
NAMED_VALUES: Final = frozenset({FilterName.REV, FilterName.LANG, FilterName.TYPE, *COMMIT_FILTERS})
_LONG_NAMES: Final = tuple(sorted(name for name in NAMES if len(name) > 2))
# Words of code and prose that differ in a letter from a filter's name.
_ORDINARY: Final = frozenset(
    {"cause", "clang", "context", "filed", "flang", "loner", "lower", "patch", "power", "prev",
     "report", "repro", "slang", "toner", "tower", "typed", "xpath"}
)  # fmt: skip
_SIMILARITY: Final = 0.8
_COLON_WORD: Final = re.compile(r"([a-z]+):(?!:|//|\s|\Z)")
_OF_COMMITS: Final = re.compile(
    rf'(?<![^\s(-])type:"?(?:{"|".join(COMMIT_TYPES)})"?(?![^\s)])', re.I
)
_VALUE_START: Final = re.compile(r"[\w\"/*^]")


def is_of_commits(text: str) -> bool:
    """Return whether a query has `type:commit` or `type:diff`, and with them further filters."""
    return bool(_OF_COMMITS.search(text))


def filter_name(text: str, at: int = 0, *, names: Collection[str] = NAMES_OF_COMMITS) -> str | None:
    """Return the name before a colon and a value at this position, if it is a filter's name.

    `file::open` and `file://host` are no filters.
    """
    found = _COLON_WORD.match(text, at)
    return found[1] if found and found[1] in names else None


def misspelt_filter(text: str, at: int = 0) -> tuple[str, str] | None:
    """Return a name that is close to a filter's name, and that one; None for any other word."""
    found = _COLON_WORD.match(text, at)
    if found is None or found[1] in NAMES_OF_COMMITS or found[1] in _ORDINARY:
        return None
    if not _VALUE_START.match(text, found.end()):
        return None
    similar = max(_LONG_NAMES, key=lambda name: SequenceMatcher(None, found[1], name).ratio())
    if SequenceMatcher(None, found[1], similar).ratio() < _SIMILARITY:
        return None
    return found[1], similar
