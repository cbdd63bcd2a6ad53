"""Code on a terminal: line numbers, colours, and marked matches.

Colours depend on what stands before: whether a line is inside of a string or a comment.
"""

import re
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from aeterna_code_search.client.console import Console
from indexer.limits import COLOURING_CPU_SECONDS
from indexer.output.terminal import escape_lines
from indexer.records.languages import LEXERS

if TYPE_CHECKING:
    from rich.syntax import Syntax

_THEME: Final = "ansi_dark"  # the terminal's own colours
_TAB: Final = 4
_MARK: Final = "bold underline"
_TOO_SLOW: Final = "    shown without highlighting: it takes too long for this text"


@dataclass(frozen=True, slots=True)
class Snippet:
    """Lines of a file from `start_line`; `before` are the lines of the file before them.

    `matched` are texts to mark. `note` says why colours may be wrong.
    """

    content: str
    start_line: int
    language: str
    matched: Sequence[str] = ()
    before: str = ""
    note: str = ""


def render_snippet(console: Console, snippet: Snippet) -> str:
    """Render a snippet, without highlighting if the lexer takes too long.

    Call it in the main thread, where a signal can interrupt a slow lexer.
    """
    import rich.syntax  # noqa: F401 - its import time does not count

    try:
        with _cpu_limit(COLOURING_CPU_SECONDS):
            return _rendered(console, snippet)
    except _TooSlowError:
        plain = replace(snippet, language="text", before="", note=_TOO_SLOW)
        return _rendered(console, plain)


def _rendered(console: Console, snippet: Snippet) -> str:
    from rich.text import Text

    note = [Text(snippet.note, style="dim")] if snippet.note else []
    return console.render(_syntax(snippet), *note)


class _TooSlowError(Exception):
    """The CPU limit is exceeded."""


@contextmanager
def _cpu_limit(seconds: float) -> Iterator[None]:
    """Raise _TooSlowError in the block after `seconds` of CPU time, also inside of `re`."""

    def interrupt(*_: object) -> None:
        raise _TooSlowError

    before = signal.signal(signal.SIGPROF, interrupt)
    try:
        # Again and again: what a handler raises in a callback of the garbage collector is lost.
        signal.setitimer(signal.ITIMER_PROF, seconds, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _syntax(snippet: Snippet) -> "Syntax":
    from rich.syntax import Syntax

    lines = [line.expandtabs(_TAB) for line in escape_lines(snippet.content)]
    before = escape_lines(snippet.before) if snippet.before else []
    syntax = Syntax(
        "\n".join([*before, *lines]),
        LEXERS.get(snippet.language, snippet.language),
        theme=_THEME,
        background_color="default",
        line_numbers=True,
        start_line=snippet.start_line - len(before),
        line_range=(len(before) + 1, len(before) + len(lines)),
        word_wrap=True,
        padding=(0, 0, 0, 2),
    )
    for number, first, last in _marks(lines, snippet.matched):
        at = len(before) + number
        syntax.stylize_range(_MARK, (at, first), (at, last))
    return syntax


def _marks(lines: Sequence[str], words: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield line, first and last column of the words, as rich's Syntax counts them."""
    if not words:
        return
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    pattern = re.compile("|".join(longest_first), re.IGNORECASE)
    for number, line in enumerate(lines, 1):
        for match in pattern.finditer(line):
            yield number, match.start(), match.end()
