"""Text of others, so that it can be stored and shown: without control characters, halves of
characters, and characters that reverse text. Numbers in sentences.
"""

from indexer.limits import MESSAGE_CHARACTERS


def foreign_line(text: str | bytes, most: int = MESSAGE_CHARACTERS) -> str:
    """Return a message of git, a forge or another service as one line of `most` characters."""
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    return " ".join(escape_line(text).strip("� ").split())[:most].rstrip()


def escape_line(text: str) -> str:
    """Escape `text` as one line; unprintable characters become �."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _shown(char) for char in text)


def escape_lines(content: str) -> list[str]:
    """Escape a file's lines, as line numbers count them; tabs stay."""
    lines = content.removesuffix("\n").split("\n")
    return ["\t".join(map(escape_line, line.removesuffix("\r").split("\t"))) for line in lines]


def escape_text(text: str) -> str:
    """Escape the lines of a text."""
    return text if text.isprintable() else "\n".join(escape_lines(text))


def _shown(char: str) -> str:
    return " " if char in "\t\n\r" or (char.isspace() and char > "\x7f") else "�"


def pluralize(number: int, noun: str, nouns: str = "") -> str:
    """Format `1 caller`, `2 callers`."""
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"
