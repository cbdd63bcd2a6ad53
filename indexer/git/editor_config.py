"""Parser of `charset` in `.editorconfig` files, as editorconfig.org specifies. Pure functions.

A glob becomes patterns of git, which are matched in linear time. Numbers in braces are expanded;
two stars inside a name match no slash.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from indexer.git.attribute_files import Warn
from indexer.globs import PATTERN_BYTES, PATTERNS, excess, file_pattern

_MAX_ALTERNATIVES: Final = 100  # of a glob's braces
_MAX_LINE: Final = PATTERN_BYTES + 2
_UNSET: Final = "unset"
_SECTION: Final = re.compile(r"\[(.+)\]")
_BRACES: Final = re.compile(r"(?<!\\)\{([^{}]*)\}")
_NUMBERS: Final = re.compile(r"([+-]?\d{1,9})\.\.([+-]?\d{1,9})")
_STARS: Final = re.compile(r"(^|/)\*\*(?!/|\Z)")


@dataclass(slots=True)
class EditorConfig:
    """The sections with a charset, in order: the last that matches a path decides."""

    is_root: bool = False
    charsets: list[tuple[tuple[re.Pattern[str], ...], str]] = field(default_factory=list)


def parse_editor_config(content: bytes, *, warn: Warn) -> EditorConfig:
    """Parse a file; a glob that is too large is ignored."""
    file = EditorConfig()
    glob, number_of_glob, charset = "", 0, ""
    for number, line in enumerate(content.decode("utf-8-sig", "replace").split("\n"), start=1):
        text = line.strip()
        if text.startswith(("#", ";")):
            continue
        if text.startswith("["):
            _add(file, glob, charset, number_of_glob, warn)
            section = _SECTION.fullmatch(text) if len(text) <= _MAX_LINE else None
            glob, number_of_glob, charset = section[1] if section else "", number, ""
            continue
        name, _, value = (part.strip().lower() for part in text.partition("="))
        if name == "charset" and glob:
            charset = value
        elif name == "root" and not number_of_glob:
            file.is_root = value == "true"
    _add(file, glob, charset, number_of_glob, warn)
    return file


def charset_of(path: str, files: Mapping[str, EditorConfig]) -> str:
    """Return the charset of a path; "" without one. `files` is by directory, "" is the top."""
    end = len(path)
    while end > 0:
        end = path.rfind("/", 0, end)
        file = files.get(path[:end] if end > 0 else "")
        for patterns, charset in reversed(file.charsets) if file else ():
            if any(pattern.search(path[end + 1 :]) for pattern in patterns):
                return "" if charset == _UNSET else charset
        if file and file.is_root:
            break
    return ""


def _add(file: EditorConfig, glob: str, charset: str, number: int, warn: Warn) -> None:
    if not charset:
        return
    alternatives = list(islice(_alternatives(glob), _MAX_ALTERNATIVES + 1))
    problem = next(filter(None, map(excess, alternatives)), None)
    if problem:
        warn(number, f"its glob is {problem}")
    elif len(alternatives) > _MAX_ALTERNATIVES:
        warn(number, f"its glob has more than {_MAX_ALTERNATIVES} alternatives")
    elif sum(len(patterns) for patterns, _ in file.charsets) + len(alternatives) > PATTERNS:
        warn(number, f"it is beyond the first {PATTERNS:,} patterns")
    else:
        patterns = map(file_pattern, map(_pattern, alternatives))
        file.charsets.append((tuple(filter(None, patterns)), charset))


def _alternatives(glob: str) -> Iterator[str]:
    """Yield the globs without braces. Braces around braces are taken from the inside."""
    found = next(filter(_is_choice, _BRACES.finditer(glob)), None)
    if found is None:
        yield glob
        return
    for choice in _choices(found[1]):
        yield from _alternatives(glob[: found.start()] + choice + glob[found.end() :])


def _is_choice(found: re.Match[str]) -> bool:
    return "," in found[1] or _NUMBERS.fullmatch(found[1]) is not None


def _choices(inside: str) -> Iterable[str]:
    numbers = _NUMBERS.fullmatch(inside)
    if not numbers:
        return inside.split(",")
    first, last = sorted(map(int, numbers.groups()))
    return map(str, range(first, last + 1))


def _pattern(glob: str) -> str:
    """Return git's pattern for a glob without braces."""
    return _STARS.sub(r"\1**/*", f"\\{glob}" if glob.startswith(("!", "#")) else glob)
