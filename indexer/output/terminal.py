"""Text of others, to be stored and shown: hidden and control characters escaped, names counted."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

MESSAGE_CHARACTERS: Final = 1_000  # of git, a forge or another service


# Controls of text direction, which show code in another order than it has, and all of plane 14:
# tags and selectors, in which a text can carry another one unseen.
HIDDEN: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e0fff]")

NAMES: Final = 5  # of those that are wrong, so that a message stays short whatever it is about
SHOWN_NAME_CHARACTERS: Final = 100
_OWNERS: Final = 10  # of those that are counted
_SENTENCES: Final = 10
_SENTENCE_CHARACTERS: Final = 500


def show_hidden(text: str) -> str:
    """Replace hidden characters by their code points: [U+202E]."""
    return HIDDEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


def foreign_line(text: str | bytes, most: int = MESSAGE_CHARACTERS) -> str:
    """Return a message of git, a forge or another service as one line of `most` characters."""
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    return " ".join(escape_line(text).strip("� ").split())[:most].rstrip()


def escape_line(text: str) -> str:
    """Escape `text` as one line; hidden characters become code points, unprintable ones �."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _shown(char) for char in show_hidden(text))


def escape_lines(content: str) -> list[str]:
    """Escape a file's lines, as line numbers count them; tabs stay."""
    lines = content.removesuffix("\n").split("\n")
    return ["\t".join(map(escape_line, line.removesuffix("\r").split("\t"))) for line in lines]


def escape_text(text: str) -> str:
    """Escape the lines of a text."""
    return text if text.isprintable() else "\n".join(escape_lines(text))


def _shown(char: str) -> str:
    return " " if char in "\t\n\r" or (char.isspace() and char > "\x7f") else "�"


def first_names(names: Sequence[object]) -> str:
    """Format the first few names, each cut: `a, b, c, d, e and 3 more`."""
    named = ", ".join(str(name)[:SHOWN_NAME_CHARACTERS] for name in names[:NAMES])
    more = len(names) - NAMES
    return f"{named} and {more:,} more" if more > 0 else named


def owners_line(counts: Sequence[Mapping[str, Any]]) -> str:
    """Format whose files the rows of an answer are in; "" if none of them has an owner.

    `counts` have `owner`, null for none, `count`, and if the owner is `known`.
    """
    if not any(row["owner"] for row in counts):
        return ""
    named = [
        f"{row['owner'] or ('no owner' if row['known'] else 'not known')} {row['count']:,}"
        for row in counts[:_OWNERS]
    ]
    more = f" and {len(counts) - _OWNERS:,} more" if len(counts) > _OWNERS else ""
    return escape_line(f"By owner: {', '.join(named)}{more}.")


def first_sentences(sentences: Iterable[str]) -> str:
    """Format the first few of what is wrong, each cut, and how much more is."""
    rest = iter(sentences)
    first = [sentence[:_SENTENCE_CHARACTERS] for sentence in islice(rest, _SENTENCES)]
    more = sum(1 for _ in rest)
    return " ".join([*first, f"And {more:,} more."] if more else first)


def pluralize(number: int, noun: str, nouns: str = "") -> str:
    """Format `1 caller`, `2 callers`."""
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"
