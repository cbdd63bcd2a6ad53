"""Markdown for GitHub's job summaries, out of texts that anybody may have written.

What may mean something becomes a character reference, which Markdown takes for text wherever it
stands (CommonMark 0.31, 2.5): no name, path or error can be a link, a tag or the end of a table.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

_MOST_CHARACTERS: Final = 4_000
_ADDRESS: Final = re.compile(r"https?://[\w.~:/?#@!$&*+,;=%-]+", re.ASCII)


def text(value: str) -> str:
    """`value` as words in a line; cut where it is very long."""
    if len(value) > _MOST_CHARACTERS:
        value = value[: _MOST_CHARACTERS - 1] + "…"
    return "".join(_character(char) for char in " ".join(value.split()))


def _character(char: str) -> str:
    if not char.isprintable():  # control characters, text direction, halves of a pair
        return "�"
    return char if char.isalnum() or char in " /,;'" else f"&#{ord(char)};"


def code(value: str) -> str:
    """`value` as code in a line. GitHub makes no mention or reference of what is in it."""
    return f"<code>{text(value)}</code>"


def link(markdown: str, address: str | None) -> str:
    """`markdown` as a link, if `address` is one."""
    if address is None or not _ADDRESS.fullmatch(address):
        return markdown
    return f"[{markdown}]({address})"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of markdown; a column whose head ends with a colon is one of figures."""
    rules = ["---:" if name.endswith(":") else "---" for name in head]
    names = [name.removesuffix(":") for name in head]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (names, rules, *rows))
