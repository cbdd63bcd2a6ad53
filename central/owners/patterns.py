"""Patterns of CODEOWNERS files, and which of many match a path.

No library does it: pathspec matches as git does, where `docs/*` matches what is deeper and `!` and
`[ ]` have a meaning, which GitHub gives them not; and it tries the patterns one by one. Here a
pattern without wildcards is looked up, and the others are one automaton of RE2 for up to
_GROUP_PATTERNS of them, in time that is linear in the path.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

import re2

from central.query.patterns import class_pattern, re2_options

OWNERS_WILDCARD_RULES: Final = 4_000  # of these
OWNERS_PATTERN_CHARACTERS: Final = 1_000
OWNERS_PATTERN_WILDCARDS: Final = 16
_GROUP_PATTERNS: Final = 100
_GROUP_CHARACTERS: Final = 8_000  # of regular expressions
_GROUP_BYTES: Final = 4 * 1024 * 1024  # of memory for one automaton
_PART: Final = re.compile(r"\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|[^*?\[\\]+|.", re.DOTALL)
_SUFFIX: Final = re.compile(r"\*\.[\w.-]+")  # most wildcards of real files: `*.py`
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)


class PatternError(ValueError):
    """A pattern that the forge does not follow; the text is a sentence."""


class TooComplexError(ValueError):
    """The patterns with wildcards are too many, or too large together."""


class Pattern(NamedTuple):
    """What a pattern matches: a text without wildcards, or a regular expression of RE2.

    `text` is a path from the root, or the name of a file or directory anywhere if it `floats`,
    or the end of such a name if it `is_suffix`: ".py" of `*.py`. `is_file`: the file of this path;
    `is_below`: all that is below it. A pattern that matches everything has neither text nor
    `regex`.
    """

    text: str = ""
    floats: bool = False
    is_suffix: bool = False
    is_file: bool = False
    is_below: bool = False
    regex: str = ""


EVERYTHING: Final = Pattern()


def github_pattern(written: str) -> Pattern:
    """Return what a pattern of GitHub matches. Raises PatternError.

    As in `.gitignore`, except for `!`, `[ ]` and `\\#`, which do not work, and for a pattern that
    ends with `/*`, which matches nothing deeper.
    """
    _check_size(written)
    _check_github(written)
    segments = written.strip("/").split("/")
    if set(segments) == {"**"} or written == "*":
        return EVERYTHING
    floats = "/" not in written[:-1]
    is_directory = written.endswith("/")
    if floats and _SUFFIX.fullmatch(segments[0]):
        return Pattern(segments[0][1:], True, True, is_file=not is_directory, is_below=True)
    if not any(map(_has_wildcard, segments)):
        text = _ESCAPED.sub(r"\1", "/".join(segments))
        return Pattern(text, floats, is_file=not is_directory, is_below=True)
    end = "/" if is_directory else r"\z" if written.endswith("/*") else r"(?:/|\z)"
    return Pattern(regex=_regex(segments, end, floats=floats, below=r"(?s:.+)", classes=False))


def gitlab_pattern(written: str) -> Pattern:
    """Return what a pattern of GitLab matches, which is Ruby's fnmatch. Raises PatternError.

    Without a slash at its beginning it matches at any depth, with one at its end all that is below.
    """
    _check_size(written)
    if written == "*":
        return EVERYTHING
    floats = not written.startswith("/")
    is_directory = written.endswith("/")
    segments = written.strip("/").split("/")
    if not written.strip("/"):
        if is_directory and not floats:
            return EVERYTHING
        raise PatternError("The rule has no pattern.")
    if "[" in _ESCAPED.sub("", re.sub(r"\[[!^]?\]?[^\]]*\]", "", written)):
        raise PatternError("The pattern has a bracket that is not closed.")
    if floats and len(segments) == 1 and _SUFFIX.fullmatch(segments[0]):
        return Pattern(segments[0][1:], True, True, is_file=not is_directory, is_below=is_directory)
    has_wildcard = any(map(_has_wildcard, segments)) or "[" in written
    if not has_wildcard and not (floats and len(segments) > 1):
        text = _ESCAPED.sub(r"\1", "/".join(segments))
        return Pattern(text, floats, is_file=not is_directory, is_below=is_directory)
    end = "/" if is_directory else r"\z"
    pattern = Pattern(regex=_regex(segments, end, floats=floats, below="[^/]*", classes=True))
    try:
        re2.compile(pattern.regex, re2_options(_GROUP_BYTES))
    except re2.error as exc:
        raise PatternError("The pattern has a range that ends before it begins.") from exc
    return pattern


def _check_github(written: str) -> None:
    """Raise PatternError for what GitHub does not follow."""
    if written.startswith("!"):
        raise PatternError("A pattern cannot begin with !: GitHub has no exclusions.")
    if written.startswith("\\#"):
        raise PatternError("A pattern cannot begin with \\#.")
    if "[" in _ESCAPED.sub("", written):
        raise PatternError("[ ] has no meaning in a pattern.")
    if "***" in written:
        raise PatternError("A pattern has no more than two stars in a row.")
    if not written.strip("/"):
        raise PatternError("The pattern / matches nothing: * matches everything.")
    if "//" in written.strip("/"):
        raise PatternError("The pattern has an empty name between two slashes.")


def _check_size(written: str) -> None:
    if len(written) > OWNERS_PATTERN_CHARACTERS:
        raise PatternError(f"The pattern is longer than {OWNERS_PATTERN_CHARACTERS:,} characters.")
    if sum(map(written.count, "*?[")) > OWNERS_PATTERN_WILDCARDS:
        raise PatternError(f"The pattern has more than {OWNERS_PATTERN_WILDCARDS} wildcards.")


def _has_wildcard(segment: str) -> bool:
    return not {"*", "?"}.isdisjoint(_ESCAPED.sub("", segment))


def _regex(segments: Sequence[str], end: str, *, floats: bool, below: str, classes: bool) -> str:
    """Return the RE2 pattern; `below` is what `**` matches as the last segment."""
    parts = [r"(?:\A|/)" if floats else r"\A"]
    for segment in segments[:-1]:
        parts.append("(?s:.*/)?" if segment == "**" else f"{_name(segment, classes=classes)}/")
    last = segments[-1]
    parts.append(below if last == "**" else _name(last, classes=classes))
    return "".join([*parts, end])


def _name(segment: str, *, classes: bool) -> str:
    """Return the RE2 pattern of a name; its stars and question marks match no slash."""
    return "".join(_part(part, classes=classes) for part in _PART.findall(segment))


def _part(part: str, *, classes: bool) -> str:
    if part[0] == "*":
        return "[^/]*"
    if part == "?":
        return "[^/]"
    if classes and part[0] == "[" and len(part) > 2:
        return class_pattern(part)
    return str(re2.escape(_ESCAPED.sub(r"\1", part)))


@dataclass(slots=True)
class _Texts:
    """The places of patterns by their text: of files, and of directories with all below."""

    files: defaultdict[str, list[int]] = field(default_factory=partial(defaultdict, list))
    below: defaultdict[str, list[int]] = field(default_factory=partial(defaultdict, list))


class PatternIndex:
    """Which of many patterns match a path, by their places in the sequence."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        """Raise TooComplexError."""
        self._always: list[int] = []
        self._paths, self._names, self._ends = _Texts(), _Texts(), _Texts()
        wildcards: list[tuple[int, str]] = []
        for at, pattern in enumerate(patterns):
            if pattern.regex:
                wildcards.append((at, pattern.regex))
            elif pattern == EVERYTHING:
                self._always.append(at)
            else:
                self._add(at, pattern)
        self.wildcards = len(wildcards)
        self._groups = _groups(wildcards)

    def _add(self, at: int, pattern: Pattern) -> None:
        floating = self._ends if pattern.is_suffix else self._names
        texts = floating if pattern.floats else self._paths
        if pattern.is_file:
            texts.files[pattern.text].append(at)
        if pattern.is_below:
            texts.below[pattern.text].append(at)

    def matching(self, path: str) -> set[int]:
        """Return the places of the patterns that match a path from the root."""
        directory, _, name = path.rpartition("/")
        found = [*self._always, *self._paths.files.get(path, ())]
        found += self._names.files.get(name, ())
        _add_ends(found, self._ends.files, name)
        above = directory if self._paths.below else ""
        while above:
            found += self._paths.below.get(above, ())
            above = above.rpartition("/")[0]
        if directory and (self._names.below or self._ends.below):
            for above in directory.split("/"):
                found += self._names.below.get(above, ())
                _add_ends(found, self._ends.below, above)
        for match, places in self._groups:
            found += [places[at] for at in match(path) or ()]
        return set(found)


def _add_ends(found: list[int], suffixes: Mapping[str, Sequence[int]], name: str) -> None:
    """Add what is given for the ends of a name, each from a dot on."""
    at = name.find(".") if suffixes else -1
    while at >= 0:
        found += suffixes.get(name[at:], ())
        at = name.find(".", at + 1)


_Match = Callable[[str], Sequence[int] | None]


def _groups(wildcards: Sequence[tuple[int, str]]) -> list[tuple[_Match, list[int]]]:
    """Return automata with the places of their patterns. Raises TooComplexError."""
    if len(wildcards) > OWNERS_WILDCARD_RULES:
        raise TooComplexError
    groups: list[tuple[_Match, list[int]]] = []
    portion: list[tuple[int, str]] = []
    size = 0
    for at, regex in wildcards:
        if portion and (len(portion) == _GROUP_PATTERNS or size + len(regex) > _GROUP_CHARACTERS):
            groups.append(_automaton(portion))
            portion, size = [], 0
        portion.append((at, regex))
        size += len(regex)
    return [*groups, _automaton(portion)] if portion else groups


def _automaton(portion: Sequence[tuple[int, str]]) -> tuple[_Match, list[int]]:
    automaton = re2.Set.SearchSet(re2_options(_GROUP_BYTES))
    try:
        for _, regex in portion:
            automaton.Add(regex)
        automaton.Compile()
    except (re2.error, RuntimeError) as exc:
        raise TooComplexError from exc
    return automaton.Match, [at for at, _ in portion]
