"""Text for a terminal: control characters escaped, numbers in sentences."""


def escape_line(text: str) -> str:
    """Escape `text` as one line; unprintable characters become �."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _shown(char) for char in text)


def escape_lines(content: str) -> list[str]:
    """Escape a file's lines, as line numbers count them; tabs stay."""
    lines = content.removesuffix("\n").split("\n")
    return ["\t".join(map(escape_line, line.removesuffix("\r").split("\t"))) for line in lines]


def _shown(char: str) -> str:
    return " " if char in "\t\n\r" or (char.isspace() and char > "\x7f") else "�"


def pluralize(number: int, noun: str, nouns: str = "") -> str:
    """Format `1 caller`, `2 callers`."""
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"
