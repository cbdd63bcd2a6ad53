"""Hunks, applied to the file of a parent."""

from indexer.records.hunks import has_line, parse_hunks


def split(text: str) -> list[str]:
    """The lines of a text; whether the last one ends with a line feed is lost."""
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def applied(hunks: str, parent: int, text: str) -> list[str]:
    """The lines of the new file, by those of one parent's, which must be what the hunks say."""
    old, new, at = split(text), [], 0
    for hunk in parse_hunks(hunks):
        lines = hunk.old[parent]
        start = lines.start - 1
        new += old[at:start]
        at = start + lines.size
        assert old[start:at] == [row for signs, row in hunk.rows if has_line(signs, parent)]
        assert len(new) == hunk.new.start - 1
        new += [row for signs, row in hunk.rows if "-" not in signs]
    return new + old[at:]
