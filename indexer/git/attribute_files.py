"""Parser of `.gitattributes` files, as gitattributes(5) defines them. Pure functions.

`git check-attr` is not used because one line can keep its matcher busy for hours. Text is bytes
as Latin-1, because a pattern's `?` matches one byte.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from indexer.globs import PATTERNS, excess, file_pattern

States = tuple[tuple[str, str], ...]  # (attribute, value as `git check-attr` writes it), in order
Warn = Callable[[int, str], object]  # the number of a line that is ignored, and the reason

UNSPECIFIED: Final = "unspecified"
_BLANK: Final = " \t\r\n"
_MACRO: Final = "[attr]"
_MAX_LINE_BYTES: Final = 2_048  # git ignores longer ones
_MAX_MACROS: Final = 100
_NAME: Final = re.compile(r"[A-Za-z0-9_.][-A-Za-z0-9_.]*")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(.*)', re.DOTALL)
_ESCAPE: Final = re.compile(r"\\([0-3][0-7]{2}|.)", re.DOTALL)
_ESCAPED: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", '"': '"',
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rule:
    """One line: a pattern of paths below the file's directory, and the attributes of matches."""

    pattern: re.Pattern[str]
    states: States


@dataclass(slots=True)
class AttributesFile:
    """The relevant lines in order, and the macros, which only the top directory may define."""

    rules: list[Rule] = field(default_factory=list)
    macros: dict[str, States] = field(default_factory=dict)


def parse_attributes(
    content: bytes, wanted: Collection[str], *, is_top: bool, warn: Warn
) -> AttributesFile:
    """Parse the lines about the wanted attributes; in the top file, also macros and their uses."""
    file = AttributesFile()
    lines = content.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n")
    parsed = [(number, _parsed(line)) for number, line in enumerate(lines, start=1)]
    if is_top:
        for number, (name, states) in parsed:
            if name.startswith(_MACRO) and len(name) > len(_MACRO):
                _define(file.macros, name.removeprefix(_MACRO), states, number, warn)
    names = {*wanted, *file.macros}
    for number, (name, states) in parsed:
        counting = tuple(state for state in states if state[0] in names)
        if counting and not name.startswith(("!", _MACRO)):
            _add(file.rules, name, counting, number, warn)
    return file


def values_of(path: bytes, files: Mapping[str, AttributesFile]) -> dict[str, str]:
    """Return the attributes of a path. `files` is by directory, "" is the top; deeper files win."""
    values: dict[str, str] = {}
    macros = files[""].macros if "" in files else {}
    text = path.decode("latin-1")
    end = len(text)
    while end > 0:
        end = text.rfind("/", 0, end)
        file = files.get(text[:end] if end > 0 else "")
        for rule in reversed(file.rules) if file else ():
            if rule.pattern.search(text[end + 1 :]):
                _fill(values, rule.states, macros)
    return values


def _fill(values: dict[str, str], states: States, macros: Mapping[str, States]) -> None:
    """Add the attributes that are not set yet, with macros expanded.

    The last state of a line wins.
    """
    for name, value in reversed(states):
        if name not in values:
            values[name] = value
            if value == "set" and name in macros:
                _fill(values, macros[name], macros)


def _define(macros: dict[str, States], name: str, states: States, number: int, warn: Warn) -> None:
    if not _NAME.fullmatch(name):
        return
    if name not in macros and len(macros) >= _MAX_MACROS:
        warn(number, f"it is beyond the first {_MAX_MACROS} macros")
        return
    macros[name] = states


def _add(rules: list[Rule], name: str, states: States, number: int, warn: Warn) -> None:
    problem = excess(name)
    if problem:
        warn(number, f"its pattern is {problem}")
    elif len(rules) >= PATTERNS:
        warn(number, f"it is beyond the first {PATTERNS:,} patterns")
    elif pattern := file_pattern(name):
        rules.append(Rule(pattern, states))


def _parsed(line: str) -> tuple[str, States]:
    """Parse a line to (pattern or macro, states); without states the line has no effect."""
    line = line.strip(_BLANK)
    if not line or line.startswith("#") or len(line) >= _MAX_LINE_BYTES:
        return "", ()
    quoted = _QUOTED.fullmatch(line) if line.startswith('"') else None
    if quoted:
        name, rest = _ESCAPE.sub(_unescaped, quoted[1]), quoted[2]
    else:
        name, _, rest = _words(line)
    return name, _states(rest)


def _words(line: str) -> tuple[str, str, str]:
    found = re.search(f"[{_BLANK}]", line)
    return (line[: found.start()], " ", line[found.end() :]) if found else (line, "", "")


def _unescaped(found: re.Match[str]) -> str:
    written = found[1]
    return chr(int(written, 8)) if len(written) == 3 else _ESCAPED.get(written, written)


def _states(text: str) -> States:
    states = []
    for word in text.split():
        sign = word[0] if word[0] in "-!" else ""
        name, equals, value = word.removeprefix(sign).partition("=")
        if not _NAME.fullmatch(name):
            return ()  # git ignores the whole line
        if sign:
            value = "unset" if sign == "-" else UNSPECIFIED
        elif not equals:
            value = "set"
        states.append((name, value))
    return tuple(states)
