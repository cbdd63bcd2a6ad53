"""Text of repositories as a terminal may have it: nothing in it commands the terminal."""


def one_line(text: str) -> str:
    """`text` on one line; what is neither letter, sign nor blank is shown as �."""
    return "".join(_shown(char) for char in text)


def lines_of(text: str) -> list[str]:
    """The lines of a file's content, as its line numbers count them."""
    return [one_line(line.expandtabs(4)) for line in text.removesuffix("\n").split("\n")]


def _shown(char: str) -> str:
    if char.isprintable():
        return char
    return " " if char.isspace() and char not in "\x1c\x1d\x1e\x1f" else "�"
