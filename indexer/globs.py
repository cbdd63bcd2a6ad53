"""Git's patterns, matched in time that grows with the path and not with the number of stars.

pathspec converts a pattern to a regular expression in which each star may be tried repeatedly at
every position. Here a star takes the first position where the rest fits. That is sufficient: no
other position leaves more of the path.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # imported by who has a pattern: most runs have none
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

PATTERN_BYTES: Final = 1_024
PATTERN_WILDCARDS: Final = 64
BRANCH_PATTERNS: Final = 100  # of branches, in .codesearch.toml or of an organisation
PATTERNS: Final = 1_000  # of one list of .codesearch.toml, or of one .gitattributes
# Parts of pathspec's expressions: any number of directories, the pattern's end, a star.
_FIRST, _BETWEEN = "(?:.+/)?", "(?:/.+)?"
_BELOW, _END = "(?P<ps_d>/)", "(?:(?P<ps_d>/)|$)"
_STAR: Final = "[^/]*"
_TOKEN: Final = re.compile(
    "|".join(map(re.escape, (_FIRST, _BETWEEN, _BELOW, _END, _STAR, "[^/]+")))
    + r"|\[\^?\]?[^\]]*\]|\\.|.",
    re.DOTALL,
)
_CLASSES: Final = {
    "[:alnum:]": "0-9A-Za-z", "[:alpha:]": "A-Za-z", "[:blank:]": " \t", "[:cntrl:]": "\0-\x1f\x7f",
    "[:digit:]": "0-9", "[:graph:]": "!-~", "[:lower:]": "a-z", "[:print:]": " -~",
    "[:punct:]": "!-/:-@[-`{-~", "[:space:]": " \t-\r", "[:upper:]": "A-Z",
    "[:xdigit:]": "0-9A-Fa-f",
}  # fmt: skip


def excess(pattern: str) -> str | None:
    """Describe why a pattern is too large; None if it is not."""
    if len(pattern.encode(errors="surrogateescape")) > PATTERN_BYTES:
        return f"longer than {PATTERN_BYTES:,} bytes"
    if pattern.count("*") + pattern.count("?") + pattern.count("[") > PATTERN_WILDCARDS:
        return f"with more than {PATTERN_WILDCARDS} wildcards"
    return None


def check_branch_patterns(patterns: object) -> None:
    """Raise ValueError unless these are patterns of branches' names (`branches`)."""
    if not isinstance(patterns, list) or not all(
        isinstance(pattern, str) and pattern for pattern in patterns
    ):
        raise ValueError("branches must be a list of patterns, such as release/*")
    if len(patterns) > BRANCH_PATTERNS:
        raise ValueError(
            f"branches holds {len(patterns):,} patterns; at most {BRANCH_PATTERNS} are read"
        )
    for pattern in patterns:
        if problem := excess(pattern):
            raise ValueError(f"branches holds {pattern[:40]!r}, which is {problem}")


def ignore_spec(lines: Iterable[str]) -> "GitIgnoreSpec":
    """Compile gitignore patterns; the last match decides. Raises ValueError for an invalid one."""
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(lines, _pattern, backend="simple")


def file_pattern(pattern: str) -> re.Pattern[str] | None:
    """Compile a pattern of `.gitattributes` for `search` in the paths of files.

    None if it matches no file: it is invalid or matches directories only.
    """
    try:
        regex, _ = _regex(pattern)
        if regex is None or regex.endswith(_BELOW):
            return None
        return re.compile(regex.removesuffix(_END) + r"\Z" if regex.endswith(_END) else regex)
    except (ValueError, re.error):
        return None


def _pattern(line: str) -> "GitIgnoreSpecPattern":
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    regex, include = _regex(line)
    try:
        return GitIgnoreSpecPattern(regex and re.compile(regex), include)
    except re.error as exc:  # a range that ends before it begins
        raise ValueError(str(exc)) from exc


@lru_cache(maxsize=4_096)
def _regex(pattern: str) -> tuple[str | None, bool | None]:
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    for name, members in _CLASSES.items():
        pattern = pattern.replace(name, members)
    regex, include = GitIgnoreSpecPattern.pattern_to_regex(pattern)
    return regex and _linear(regex), include


def _linear(regex: str) -> str:
    """Rewrite the expression without choices that can be retried."""
    if not regex.startswith("^"):  # it matches everything, or everything in a directory
        return regex
    tokens = _TOKEN.findall(regex[1:])
    marks = [token for token in tokens if token in {_FIRST, _BETWEEN}]
    anchored, *floating = map(_segments, _split(tokens, {_FIRST, _BETWEEN}))
    if not floating:
        return f"^{anchored}"
    # A part below any directory takes the first position that fits, the last part the last one.
    *inner, last = [
        part.removeprefix("/") if mark == _BETWEEN else part
        for mark, part in zip(marks, floating, strict=True)
    ]
    start = f"{anchored}/" if anchored else ""
    firsts = "".join(f"(?>(?:[^/]+/)*?{part}/)" for part in inner)
    return f"^{start}{firsts}(?:[^/]+/)*{last}"


def _segments(tokens: list[str]) -> str:
    return "/".join(_segment(segment) for segment in _split(tokens, {"/"}))


def _segment(tokens: list[str]) -> str:
    first, *others = ["".join(map(_within, part)) for part in _split(tokens, {_STAR})]
    if not others:
        return first
    *inner, last = others
    steps = "".join(f"(?>{_STAR}?{part})" for part in inner if part)
    return f"{first}{steps}{_STAR}{last}"


def _within(token: str) -> str:
    """Return a token that cannot match a slash."""
    is_class = token.startswith("[") and token not in {"[^/]", "[^/]+"}
    return f"(?!/){token}" if is_class else token


def _split(tokens: list[str], marks: set[str]) -> list[list[str]]:
    """Split the tokens at those that are in `marks`."""
    boundaries = [-1, *(n for n, token in enumerate(tokens) if token in marks), len(tokens)]
    return [tokens[start + 1 : end] for start, end in pairwise(boundaries)]
