"""Tables of commands: columns as wide as what they hold."""

from collections.abc import Iterator, Sequence


def table_lines(rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """The lines of a table; the first row is the heading."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(map(str.ljust, row, widths)).rstrip()
