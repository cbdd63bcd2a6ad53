"""Patterns of queries, compiled by RE2: linear time, bounded memory, no backtracking."""

import re
from collections.abc import Callable
from typing import Any, Final

import re2

from central.query.errors import QueryError
from central.query.filters import Match

QUERY_PATTERN_CHARACTERS: Final = 1_000
QUERY_PATTERN_BYTES: Final = 2 * 1024 * 1024  # of memory for a compiled regular expression
GLOB_CHARACTERS: Final = frozenset("*?[")
_GLOB_PART: Final = re.compile(r"\*\*/|\*+|\?|\[[!^]?\]?[^\]/]*\]|.", re.DOTALL)
_NOT_TEXT: Final = re.compile(
    r"\\(?:[pP](?:\{[^}]*\}|.)|x(?:\{[^}]*\}|..)|.)|\(\?P?<\w*>|\(\?[a-zA-Z-]+|\[:\^?\w+:\]",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\Q.*?(?:\\E|\Z)|\\(.)", re.DOTALL)  # quoted, or an escape
_CLASS: Final = r"\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]"
_DOLLAR: Final = re.compile(rf"{_ESCAPE.pattern}|{_CLASS}|(?P<anchor>\$)", re.DOTALL)


def compile_pattern(pattern: str, *, ignore_case: bool = False, column: int = 1) -> Any:
    """Compile an RE2 pattern of any length. Raises QueryError with the column of its term."""
    if any(found[1] == "C" for found in _ESCAPE.finditer(pattern)):
        raise QueryError(
            "\\C is one byte, which may be a part of a character only. Write (?s:.) for any "
            "character.",
            column=column,
        )
    options = re2_options(QUERY_PATTERN_BYTES)
    options.case_sensitive = not ignore_case
    try:
        return re2.compile(pattern, options)
    except re2.error as problem:
        reason = problem.args[0]
        text = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise QueryError(
            f"RE2 does not accept this regular expression: {text}. Write it in RE2's syntax, or "
            "in quotes if the text itself is meant.",
            column=column,
        ) from problem
    except UnicodeEncodeError as problem:
        raise QueryError(
            "this regular expression is not valid Unicode. Remove the lone surrogate.",
            column=column,
        ) from problem


def with_line_ends(pattern: str) -> str:
    """Return the RE2 pattern with each `$` also before the CR of a CRLF, which it then takes in.

    RE2's own is before a LF only, or at the text's end.
    """
    return _DOLLAR.sub(lambda found: r"(?:\r?$)" if found["anchor"] else found[0], pattern)


def check_length(text: str, noun: str, column: int) -> None:
    """Raise QueryError for a regular expression or a value that is too long."""
    if len(text) > QUERY_PATTERN_CHARACTERS:
        raise QueryError(
            f"this {noun} is longer than {QUERY_PATTERN_CHARACTERS:,} characters. "
            "Write a shorter one, or two terms.",
            column=column,
        )


def re2_options(memory: int) -> Any:
    """Return RE2's options for a pattern, or several together, in so many bytes."""
    options = re2.Options()
    options.max_mem = memory
    options.log_errors = False
    options.never_capture = True  # groups are not read, and take other, slower engines
    return options


def glob_pattern(glob: str) -> str:
    """Return the RE2 pattern of a glob, which `*` and `?` match within one path component.

    It begins at any component, after a leading slash at the first, and ends at the text's end.
    `**` matches across components.
    """
    start = r"\A" if glob.startswith("/") else r"(?:\A|/)"
    parts = _GLOB_PART.findall(glob.removeprefix("/"))
    return f"{start}{''.join(map(_glob_part, parts))}\\z"


def _glob_part(part: str) -> str:
    if part == "**/":
        return "(?:.*/)?"
    if part.startswith("*"):
        return "[^/]*" if part == "*" else "(?s:.*)"
    if part == "?":
        return "[^/]"
    if len(part) > 2 and part.startswith("["):
        return class_pattern(part)
    return str(re2.escape(part))


def class_pattern(written: str) -> str:
    """Return the RE2 pattern of a glob's `[…]`, whose negation matches no slash either."""
    negated = written[1] in "!^"
    members = re.sub(r"([\\\[\]^])", r"\\\1", written[2 if negated else 1 : -1])
    return f"[^/{members}]" if negated else f"[{members}]"


def text_matcher(
    value: str, match: Match, *, ignore_case: bool, column: int = 1
) -> Callable[[str], bool]:
    """Return the test of a text by a filter's value. Raises QueryError for a bad value."""
    check_length(value, "value", column)
    if match is Match.EXACT:
        return lambda text: text == value
    if match is Match.SUBSTRING and not ignore_case:
        return lambda text: value in text
    pattern = {
        Match.SUBSTRING: re2.escape,
        Match.GLOB: glob_pattern,
        Match.REGEX: str,
    }[match](value)
    search = compile_pattern(pattern, ignore_case=ignore_case, column=column).search
    if match is Match.SUBSTRING and value.isascii():  # a tenth of RE2's time
        lowered = value.lower()
        return lambda text: lowered in text.lower() if text.isascii() else search(text) is not None
    return lambda text: search(text) is not None


def owner_matcher(value: str, match: Match, *, column: int = 1) -> Callable[[str], bool]:
    """Return the test of an owner's name by a value of `owner:`, in any case.

    A value without wildcards is the whole name, or its parts behind a slash: `platform` is
    `@acme/platform`, and no `@acme/platform-web`. Raises QueryError for a bad value.
    """
    if match is Match.REGEX:
        return text_matcher(value, match, ignore_case=True, column=column)
    if match is Match.GLOB:
        is_glob = text_matcher(value.removeprefix("@"), match, ignore_case=True, column=column)
        return lambda name: is_glob(name.removeprefix("@"))
    check_length(value, "value", column)
    wanted = value.casefold()
    is_whole, end = wanted.startswith("@"), f"/{wanted}"

    def test(name: str) -> bool:
        owner = name.casefold()
        if is_whole:
            return owner == wanted
        return owner.removeprefix("@") == wanted or owner.endswith(end)

    return test


def has_upper_case(pattern: str) -> bool:
    r"""Return whether a pattern has an upper-case letter outside of escapes such as `\S`."""
    text = _NOT_TEXT.sub("", pattern)
    return text != text.lower()
