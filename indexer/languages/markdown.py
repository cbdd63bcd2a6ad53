"""Markdown: the code of fences in languages that are parsed. All of one language is one text.

A fence is one by the rule of CommonMark, but at any indentation: lists and quotes indent it, and so
do the tabs and notes of documentation generators.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from indexer.languages.base import (
    HOSTS_VERSION,
    HostFormat,
    Language,
    Region,
    languages_of_modules,
)
from indexer.languages.rewrites import spaces

# Those of shells are commands rather than calls.
_READ: Final = tuple(
    language
    for language in languages_of_modules(without="markdown")
    if language.grammar is not None and language.name != "bash"
)
_OTHER_NAMES: Final = {"c#": "csharp", "golang": "go", "node": "javascript", "pycon": "python"}


def _names(language: Language) -> Iterable[str]:
    suffixes = (suffix.removeprefix(".") for suffix in language.suffixes)
    return language.name, *suffixes, *language.interpreters


_LANGUAGES: Final = {
    **{name: language.name for language in _READ for name in _names(language)},
    **_OTHER_NAMES,
}
# The containers before a fence, its marker, and the language: `python title=…`, `{.python}`.
_OPEN: Final = re.compile(
    rb"^((?:[ \t>]|[-+*][ \t]|\d{1,9}[.)][ \t])*+)(`{3,}+(?=[^`\n]*+$)|~{3,}+)"
    rb"[ \t]*+\{?\.?([A-Za-z][\w+#-]*+)?[^\n]*+\n?",
    re.MULTILINE,
)
# What closes it; in a quote also the first line outside of that.
_CLOSE: Final = re.compile(rb"^([ \t>]*+)(`{3,}+|~{3,}+)[ \t\r]*+$", re.MULTILINE)
_CLOSE_IN_QUOTE: Final = re.compile(_CLOSE.pattern + rb"|^(?![ \t]*+>)", re.MULTILINE)
_TAB: Final = 4
_PROMPTS: Final = re.compile(rb"^[ \t]*+>>> ")
_PROMPT: Final = re.compile(rb"^([ \t]*+)(?:>>>|\.\.\.)(?=[ \r\n]|$)|^[^\n]*+", re.MULTILINE)
_PHP: Final = (b"<?php", b"?>")


def markdown_regions(source: bytes) -> Iterator[Region]:
    """Yield the code of each fence whose language is read."""
    end = 0
    while opening := _OPEN.search(source, end):
        close = _close(source, opening)
        code_start = opening.end()
        code_end, end = close or (len(source), len(source))
        language = _LANGUAGES.get((opening[3] or b"").decode().lower(), "")
        if language and code_start < code_end:
            code = _without_quotes(source[code_start:code_end], opening[1].count(b">"))
            yield _region(source, opening, code, language, is_closed=code_end < end)


def _close(source: bytes, opening: re.Match[bytes]) -> tuple[int, int] | None:
    """Return the range of what closes a fence: as many of its signs, not indented as code.

    It is empty at the end of the quote that the fence is in.
    """
    most = _width(opening[1]) + _TAB
    pattern = _CLOSE_IN_QUOTE if b">" in opening[1] else _CLOSE
    for match in pattern.finditer(source, opening.end()):
        if match[2] is None:
            return match.span()
        if match[2].startswith(opening[2]) and _width(match[1]) < most:
            return match.span(2)
    return None


def _width(prefix: bytes) -> int:
    return len(prefix.expandtabs(_TAB))


def _without_quotes(code: bytes, depth: int) -> bytes:
    if not depth:
        return code
    quotes = re.compile(rb"^(?:[ \t]*+>){1,%d}" % min(depth, _TAB), re.MULTILINE)
    return quotes.sub(lambda found: spaces(found[0]), code)


def _region(
    source: bytes, opening: re.Match[bytes], code: bytes, language: str, *, is_closed: bool
) -> Region:
    """Return the code as a program. The tags of PHP stand in the place of its fence."""
    start, end = opening.end(), opening.end() + len(code)
    if language == "python" and _PROMPTS.match(code):
        code = _PROMPT.sub(lambda found: spaces(found[0]), code)
    if language != "php":
        return Region(start, end, language, code)
    begin, finish = _PHP
    line = source[opening.start(2) : start]
    head = spaces(line) if b"<?" in code else begin + spaces(line[len(begin) :])
    tail = finish if is_closed else b""
    return Region(opening.start(2), end + len(tail), language, head + code + tail)


MARKDOWN: Final = Language(
    "markdown",
    version=HOSTS_VERSION,
    linguist=("Markdown", "MDX"),
    suffixes=(".md", ".markdown", ".mdx", ".mdown"),
    host=HostFormat(
        markdown_regions, tuple(sorted(language.name for language in _READ)), are_examples=True
    ),
)
LANGUAGES: Final = (MARKDOWN,)
