"""Text for a terminal: control characters escaped, numbers in sentences."""


def escape_line(text: str) -> str:
    """`text` on one line; what is neither letter, sign nor blank is shown as �."""
    return "".join(char if char.isprintable() else _shown(char) for char in text)


def escape_lines(content: str) -> list[str]:
    """The lines of a file's content, as its line numbers count them; tabs stay."""
    lines = content.removesuffix("\n").split("\n")
    return ["\t".join(map(escape_line, line.removesuffix("\r").split("\t"))) for line in lines]


def _shown(char: str) -> str:
    return " " if char in "\t\n\r" or (char.isspace() and char > "\x7f") else "�"


def pluralize(number: int, noun: str, nouns: str = "") -> str:
    """`1 caller`, `2 callers`."""
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"
