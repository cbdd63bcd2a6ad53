"""Block mappings of YAML as pnpm and Yarn write them: a key in a line, two spaces a level."""

import re
from collections.abc import Iterator

# The key in quotes or plain, up to a colon that ends the line or stands before a blank.
_LINE = re.compile(
    r"""(?P<indent>\ *+)
    (?:'(?P<single>(?:[^']|'')*+)'|"(?P<double>[^"]*+)"|(?P<plain>[^\s#'"-].*?))"""
    r""":(?:\s++(?P<value>\S.*+))?""",
    re.VERBOSE,
)
_COMMENT = re.compile(r"\s#.*")
_MAX_DEPTH = 16


def block_lines(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the keys from the top and the scalar, "" for a mapping, of every line with a key."""
    above: list[tuple[int, str]] = []
    for line in text.splitlines():
        found = _LINE.fullmatch(line[:2_000].rstrip())
        if found is None:
            continue
        indent = len(found["indent"])
        while above and above[-1][0] >= indent:
            above.pop()
        key = found["plain"] or found["double"] or (found["single"] or "").replace("''", "'")
        above.append((indent, key))
        if len(above) <= _MAX_DEPTH:
            yield tuple(key for _, key in above), scalar(found["value"] or "")


def scalar(value: str) -> str:
    """Return a scalar without quotes and comment."""
    if value[:1] in {"'", '"'}:
        return value[1:].partition(value[0])[0]
    return "" if value.startswith("#") else _COMMENT.sub("", value).rstrip()
