r"""The frames of a stack trace as each language prints them, also where its lines are joined.

A field of one line makes spaces of line breaks, so no pattern needs the beginning of a line. Each
begins with a fixed text or at the beginning of a word, and repeats a bounded number of times.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from central.query.pasted.paths import plain_path

_PATH: Final = "{1,1024}"  # how long a path may be: PATH_BYTES
_PLACE: Final = r":(?P<line>\d{1,7})"
_COLUMN: Final = r":(?P<column>\d{1,6})"
# Where a word begins; a path that begins there has no such bracket, else it may begin at each.
_WORD: Final = r"(?<![^\s(\[])"
_BEFORE: Final = 500  # characters before a place in which Go and Rust name its function
_NAME: Final = re.compile(r"[^\W\d][\w$]*[!?]?")


class Frame(NamedTuple):
    """A call: its file as the trace names it, with `/`; line and column from 1, 0 unknown.

    `function` is the bare name, "" for a module's top level and functions without a name.
    """

    path: str
    line: int
    column: int = 0
    function: str = ""


class FoundFrame(NamedTuple):
    """A frame from `start` to before `end` of the text; None: without a file, as native code."""

    start: int
    end: int
    frame: Frame | None


Match = re.Match[str]


@dataclass(frozen=True, slots=True)
class Style:
    """How a language prints a trace; a text without `sign` in it has none.

    `function` reads the name of a frame's function from its match and the text. `newest_last`:
    the innermost call is printed last. `cause_last`: so is the first of chained exceptions.
    `name_is_before`: the function's name stands on the line before its file.
    """

    language: str
    sign: re.Pattern[str]
    patterns: tuple[re.Pattern[str], ...]
    function: Callable[[Match, str], str]
    newest_last: bool = False
    cause_last: bool = False
    name_is_before: bool = False


def found_frames(text: str, style: Style) -> list[FoundFrame]:
    """Return the frames of a text in its order; none overlaps another."""
    found = [frame for pattern in style.patterns for frame in _found(text, style, pattern)]
    kept: list[FoundFrame] = []
    for frame in sorted(found, key=lambda frame: (frame.start, -frame.end)):
        if not kept or frame.start >= kept[-1].end:
            kept.append(frame)
    return kept


def _found(text: str, style: Style, pattern: re.Pattern[str]) -> Iterator[FoundFrame]:
    for match in pattern.finditer(text):
        groups = match.groupdict()
        path = plain_path(groups.get("path") or "")
        if path and style.language == "java":
            path = f"{_java_directory(match['call'])}{path}"
        frame = None
        if path and groups.get("line"):
            function = bare_name(style.function(match, text))
            frame = Frame(path, int(groups["line"]), int(groups.get("column") or 0), function)
        yield FoundFrame(match.start(), match.end(), frame)


_SUFFIX: Final = re.compile(r"(?:::h[0-9a-f]{16}|(?:\.func\d+|\.\d+)+|-fm)\Z")
_CLOSURE: Final = re.compile(r"::\{\{?[\w-]+\}?\}|\[\.\.\.\]|\{[^{}]*\}")
_CSHARP_CLOSURE: Final = re.compile(r"<([A-Za-z_]\w*)>[a-z]__[\w|]*\Z")
_PREFIX: Final = re.compile(
    r"\A(?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in |new |async |static )+"
)
_JVM_CLOSURE: Final = re.compile(r"(?:\$anonfun\$|lambda\$)([A-Za-z_]\w*)\$[\w$]*\Z")
_TYPES: Final = re.compile(r"<[^<>]*>")
_SEPARATOR: Final = re.compile(r"::|->|[.#/:\\]")


def bare_name(written: str) -> str:
    """Return the last name of a qualified one, "" for `<module>`, closures and the like."""
    text = _PREFIX.sub("", _SUFFIX.sub("", _CLOSURE.sub("", written.strip())))
    if closure := _JVM_CLOSURE.search(text) or _CSHARP_CLOSURE.search(text.rstrip("()")):
        return closure[1]
    last = _SEPARATOR.split(_TYPES.sub("", text).rstrip("()"))[-1].lstrip("*(").rstrip(")")
    return last if _NAME.fullmatch(last) else ""


def _named(match: Match, _: str) -> str:
    return match.groupdict().get("function") or ""


def _java_directory(call: str) -> str:
    """Return the directories of the class that a method is called of: `com/acme/`."""
    qualified = call.rpartition("/")[2].split(".")  # behind a class loader and a module
    return "".join(f"{part}/" for part in qualified[:-2])


def _java_function(match: Match, _: str) -> str:
    owner, _, name = match["call"].rpartition(".")
    return re.split(r"[.$]", owner)[-1] if name in {"<init>", "<clinit>"} else name


def _before(pattern: re.Pattern[str]) -> Callable[[Match, str], str]:
    """Return a function that reads the name that stands before a match."""

    def function(match: Match, text: str) -> str:
        before = text[max(0, match.start() - _BEFORE) : match.start()].rstrip()
        before = before.removesuffix(" at").rstrip()
        line = before[before.rfind("\n") + 1 :]
        found = pattern.search(line)
        return found[1] or found[2] if found and found.lastindex else ""

    return function


_GO_NAME: Final = r"[\w./*()\[\]~@%+-]{1,300}"
_GO_FUNCTION: Final = re.compile(
    rf"(?<!\S)(?:created by ({_GO_NAME})(?: in goroutine \d+)?|({_GO_NAME})\([^()\n]{{0,300}}\))\Z"
)
_RUST_FUNCTION: Final = re.compile(r"(?<!\S)\d{1,3}: (?:0x[0-9a-f]{1,16} - )?(\S{1,300})\Z")

STYLES: Final = (
    Style(
        "python",
        re.compile(r"File |\.py:\d+: "),
        (
            re.compile(  # pytest
                rf"{_WORD}(?P<path>[^\s:\"'(\[]{_PATH}\.py){_PLACE}: "
                r"(?:in (?P<function>[\w.<>]{1,200})|[A-Z]\w{0,100}(?:Error|Exception|Failed)\b)"
            ),
            re.compile(
                rf'File "(?P<path>[^"\n]{_PATH})", line (?P<line>\d{{1,7}})'
                r"(?:, in (?P<function>[^\s()]{1,200}))?"
            ),
            re.compile(
                rf"File (?P<path>[^\s:\"]{_PATH}){_PLACE}, in (?P<function>[\w.<>]{{1,200}})"
            ),
        ),
        _named,
        newest_last=True,
    ),
    Style(
        "csharp",
        re.compile(r":line \d"),
        (
            re.compile(
                r"\bat (?P<function>[^\s()]{1,400})\([^()\n]{0,400}\)"
                rf" in (?P<path>[^\n]{_PATH}?):line (?P<line>\d{{1,7}})"
            ),
            re.compile(
                rf"\bin (?P<path>[^\s:]{_PATH}(?::[^\s:]{_PATH})?):line (?P<line>\d{{1,7}})"
            ),
        ),
        _named,
    ),
    Style(
        "java",
        re.compile(r"\.(?:java|kt|scala|groovy):\d"),
        (
            re.compile(
                r"\bat (?P<call>(?:[\w.@-]{0,200}/){0,2}[\w.$<>-]{1,500})"
                rf"\((?P<path>[\w$.-]{{1,200}}\.\w{{1,8}}){_PLACE}\)"
            ),
            re.compile(
                r"\bat (?P<call>(?:[\w.@-]{0,200}/){0,2}[\w.$<>-]{1,500})"
                r"\((?:Native Method|Unknown Source|[\w$.-]{1,200}\.java)\)"
            ),
        ),
        _java_function,
        cause_last=True,
    ),
    Style(
        "php",
        re.compile(
            r"\A(?=[\s\S]*\.php)(?=[\s\S]*?(?:#\d|(?i:error|exception|warning|notice|thrown)\b))"
        ),
        (
            # It names the function that is called there, not the one that calls.
            re.compile(rf"#\d{{1,4}} (?P<path>[^\n(#]{_PATH}?\.\w{{1,8}})\((?P<line>\d{{1,7}})\)"),
            re.compile(r"#\d{1,4} \[internal function\]"),
            re.compile(rf"\bin (?P<path>[^\s:]{_PATH}\.php)(?::| on line )(?P<line>\d{{1,7}})"),
        ),
        _named,
    ),
    Style(
        "ruby",
        re.compile(r":in ['`]"),
        (
            re.compile(
                rf"{_WORD}(?P<path>[^\s:'\"`(\[]{_PATH}){_PLACE}"
                r":in [`'](?P<function>[^'`\n]{1,300})'"
            ),
        ),
        _named,
    ),
    Style(
        "go",
        re.compile(r"\.go:\d+ \+0x|goroutine \d|\)\s+\S+\.go:\d"),
        (
            re.compile(
                rf"{_WORD}(?P<path>[^\s:\"'(\[]{_PATH}\.go){_PLACE}(?:{_COLUMN})?"
                r"(?: \+0x[0-9a-f]{1,16})?"
            ),
        ),
        _before(_GO_FUNCTION),
        name_is_before=True,
    ),
    Style(
        "rust",
        re.compile(r"panicked at|\bat \S+\.rs:\d"),
        (re.compile(rf"{_WORD}(?P<path>[^\s:\"'(\[]{_PATH}\.rs){_PLACE}(?:{_COLUMN})?"),),
        _before(_RUST_FUNCTION),
        name_is_before=True,
    ),
    Style(
        "javascript",
        re.compile(r"\bat \S|@http"),
        (
            re.compile(
                r"\bat (?P<function>(?:async |new )?[^\s()]{1,300})(?: \[as [^\]\s]{1,200}\])? "
                rf"\((?P<path>(?:[a-z-]{{1,20}}:/{{1,3}}\([\w-]{{1,40}}\)/)?[^()\n]{_PATH}?)"
                rf"{_PLACE}{_COLUMN}\)"
            ),
            re.compile(
                rf"\bat (?:async )?(?P<path>(?:[a-z-]{{1,20}}:/{{1,3}}(?:\([\w-]{{1,40}}\)/)?"
                r"|[A-Za-z]:\\)?"
                rf"[^\s():]{_PATH}){_PLACE}{_COLUMN}(?![^\s)])"
            ),
            re.compile(r"\bat [^\s()]{1,300} \((?:<anonymous>|native)\)"),
            re.compile(
                rf"(?<!\S)(?P<function>[\w$./<>*]{{0,200}})@(?P<path>https?://[^\s()]{_PATH}?)"
                rf"{_PLACE}{_COLUMN}(?!\S)"
            ),
        ),
        _named,
        cause_last=True,
    ),
)
