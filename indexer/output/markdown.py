"""Markdown for GitHub's job summaries and comments, from untrusted text.

Characters with a meaning become character references, which Markdown treats as text everywhere
(CommonMark 0.31, 2.5): no name, path or error can form a link, a tag or the end of a table.
GitHub looks for mentions, references and addresses in the text that is shown, outside of code: an
invisible character divides them, as Dependabot and Renovate do it.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

_MOST_CHARACTERS: Final = 4_000
_DIVIDER: Final = "&#8203;"  # a space without width
_MENTION: Final = re.compile(r"[@#]|:(?=//)|\bgh-(?=\d)|\bwww(?=\.)", re.ASCII | re.IGNORECASE)
_ADDRESS: Final = re.compile(r"https?://[\w.~:/?#@!$&*+,;=%-]+", re.ASCII)


def text(value: str) -> str:
    """Escape `value` as words in a line; cut if it is very long. It mentions no one."""
    escaped, start = [], 0
    line = _line(value)
    for found in _MENTION.finditer(line):
        escaped += [_escape(line[start : found.end()]), _DIVIDER]
        start = found.end()
    return "".join([*escaped, _escape(line[start:])])


def code(value: str) -> str:
    """Format `value` as inline code, in which GitHub recognises no mentions and references."""
    return f"<code>{_escape(_line(value))}</code>"


def _line(value: str) -> str:
    if len(value) > _MOST_CHARACTERS:
        value = value[: _MOST_CHARACTERS - 1] + "…"
    return " ".join(value.split())


def _escape(value: str) -> str:
    return "".join(map(_character, value))


def _character(char: str) -> str:
    if not char.isprintable():  # control characters, text direction, halves of a pair
        return "�"
    return char if char.isalnum() or char in " /,;'" else f"&#{ord(char)};"


def link(markdown: str, address: str | None) -> str:
    """Format `markdown` as a link, if `address` is one."""
    if address is None or not _ADDRESS.fullmatch(address):
        return markdown
    return f"[{markdown}]({address})"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a table; a column whose heading ends with a colon is aligned right."""
    rules = ["---:" if name.endswith(":") else "---" for name in head]
    names = [name.removesuffix(":") for name in head]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (names, rules, *rows))
