"""Search results: highlighted snippets on a terminal, a line for each in a pipe."""

import re
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from cli.output.console import Console
from cli.output.text import location_link, path_of
from indexer.limits import COLOURING_CPU_SECONDS
from indexer.output.terminal import escape_line, escape_lines

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.syntax import Syntax

_LEXERS: Final = {"svelte": "html", "go-mod": "go"}  # languages with another name in pygments
_THEME: Final = "ansi_dark"  # the terminal's own colours
_TAB: Final = 4
_MARK: Final = "bold underline"
_TOO_SLOW: Final = "    shown without highlighting: it takes too long for this text\n"

Result = Mapping[str, Any]


def format_plain(results: Sequence[Result]) -> str:
    """Format a line `project/path:line: text` for each result: its first that is not blank."""
    return "".join(f"{path_of(one)}:{_first_line(one)}\n" for one in results)


def _first_line(one: Result) -> str:
    """Return `line: text`; lines that `expand` shows before the hit are passed over."""
    first = one["content_start_line"]
    for number, text in enumerate(escape_lines(one["content"]), first):
        if text.strip() and number >= one["start_line"]:
            return f"{number}: {text}"
    return f"{one['start_line']}:"


def render(console: Console, results: Sequence[Result]) -> str:
    """Render each result with a heading, line numbers and marked matches.

    Call it in the main thread, where a signal can interrupt a slow lexer.
    """
    return "".join(_render_in_time(console, one) for one in results)


def _render_in_time(console: Console, one: Result) -> str:
    """Render a result, without highlighting if the lexer takes too long."""
    import rich.syntax  # noqa: F401 - its import time does not count

    try:
        with _cpu_limit(COLOURING_CPU_SECONDS):
            return console.render(*_renderables(one))
    except _TooSlowError:
        return console.render(*_renderables({**one, "language": "text"}), _TOO_SLOW)


class _TooSlowError(Exception):
    """The CPU limit is exceeded."""


@contextmanager
def _cpu_limit(seconds: float) -> Iterator[None]:
    """Raise _TooSlowError in the block after `seconds` of CPU time, also inside of `re`."""

    def interrupt(*_: object) -> None:
        raise _TooSlowError

    before = signal.signal(signal.SIGPROF, interrupt)
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _renderables(one: Result) -> Iterator["RenderableType"]:
    from rich.text import Text

    heading = location_link(one, one["start_line"])
    heading.append(f"  {_kind_and_name(one)}", style="bold")
    heading.append(f"  {one['score']:.2f}", style="dim")
    if one.get("local"):
        heading.append("  not committed", style="yellow")
    yield heading
    yield _syntax(one)
    if one["truncated"]:
        yield Text(f"    … to line {one['end_line']}", style="dim")
    if spans := one.get("spans"):
        also = ", ".join(f"{span['start_line']} {_kind_and_name(span)}" for span in spans)
        yield Text(f"    also at line {also}", style="dim", overflow="fold")
    yield Text()


def _kind_and_name(one: Result) -> str:
    name = ".".join(filter(None, (one["container"], one["name"])))
    return escape_line(f"{one['chunk_type']} {name}").strip()


def _syntax(one: Result) -> "Syntax":
    from rich.syntax import Syntax

    lines = [line.expandtabs(_TAB) for line in escape_lines(one["content"])]
    syntax = Syntax(
        "\n".join(lines),
        _LEXERS.get(one["language"], one["language"]),
        theme=_THEME,
        background_color="default",
        line_numbers=True,
        start_line=one["content_start_line"],
        word_wrap=True,
        padding=(0, 0, 0, 2),
    )
    for number, first, last in _marks(lines, one["matched"]):
        syntax.stylize_range(_MARK, (number, first), (number, last))
    return syntax


def _marks(lines: Sequence[str], words: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Positions of the words: line, first and last column, as rich's Syntax counts them."""
    if not words:
        return
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    pattern = re.compile("|".join(longest_first), re.IGNORECASE)
    for number, line in enumerate(lines, 1):
        for match in pattern.finditer(line):
            yield number, match.start(), match.end()
