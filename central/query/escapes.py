"""Quotes, slashes and backslashes: how terms are written, and read back. Strings only."""

import re
from typing import Final

from central.query.filters import filter_name, misspelt_filter
from central.query.foreign_filters import foreign_filter

SPECIAL: Final = frozenset('"/()-:\\')  # a backslash before one of them makes it ordinary
OPERATORS: Final = frozenset({"AND", "NOT", "OR"})
SMALL_OPERATORS: Final = {"and": "AND", "not": "NOT", "or": "OR"}  # beside terms that restrict
QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)++)"', re.DOTALL)
# A slash, a pattern without a bare slash, a slash at the end of the word. A term's pattern begins
# neither with a space (`and / or`) nor with `*` (a comment); a filter's has no space.
TERM_REGEX: Final = re.compile(r"/(?![\s*])((?:[^/\\]|\\.)++)/(?=[\s)]|\Z)", re.DOTALL)
FILTER_REGEX: Final = re.compile(r"/(?!\*)((?:[^/\\\s]|\\\S)++)/(?=[\s)]|\Z)")
CONTENT_REGEX: Final = re.compile(r"/((?:[^/\\]|\\.)++)/(?=[\s)]|\Z)", re.DOTALL)
# Before a name, a quote, a slash, a parenthesis or an escape; not in `->`, `--flag`, `-1`, `-m`.
MINUS: Final = re.compile(r"-(?=[^\W\d][^\s)]|[\"/(\\])")
_NO_REGEX: Final = re.compile(r"/[\s*/]|/(?:[^/\\]|\\[^\s])+/[^\s)]")
_ESCAPED_QUOTE: Final = re.compile(r'\\(["\\])')
_PATTERN_PART: Final = re.compile(r"\\.|/", re.DOTALL)
_PATTERN_OF_OTHERS: Final = re.compile(r"\.\*(?=[\w/(\[^-])|\.\+(?!\+)|\|")
_BARE_VALUE: Final = re.compile(r"[\w.+~,%#=-](?:[\w.+~,%#=:/-]*[\w.+~,%#=/-])?")


def quote(text: str) -> str:
    """Write a literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unquote(inner: str) -> str:
    """Read what is between the quotes; a backslash before any other character stays."""
    return _ESCAPED_QUOTE.sub(r"\1", inner)


def slash(pattern: str) -> str:
    """Write a pattern between slashes."""
    inner = _PATTERN_PART.sub(lambda part: r"\/" if part[0] == "/" else part[0], pattern)
    return f"/{inner}/"


def unslash(inner: str) -> str:
    r"""Read what is between the slashes: `\/` is a slash, all else is the pattern's."""
    return _PATTERN_PART.sub(lambda part: "/" if part[0] == r"\/" else part[0], inner)


def escape_word(text: str) -> str:
    """Write a word such that it is read as this word, wherever it stands."""
    if text in OPERATORS:
        return f"\\{text}"
    written = escape_parentheses(text)
    if filter_name(text) or misspelt_filter(text) or foreign_filter(text):
        return written.replace(":", "\\:", 1)
    if written[0] == '"' or MINUS.match(written):
        return f"\\{written}"
    if written[0] == "/" and not _NO_REGEX.match(written):
        return f"\\{written}"
    return written


def escape_parentheses(text: str) -> str:
    """Escape backslashes, a parenthesis at the beginning, and those without a partner."""
    unmatched, opened = set(), []
    for at, character in enumerate(text):
        if character == "(" and at > 0:
            opened.append(at)
        elif character == ")" and opened:
            opened.pop()
        elif character in "()":
            unmatched.add(at)
    unmatched.update(opened)
    return "".join(
        f"\\{character}" if character == "\\" or at in unmatched else character
        for at, character in enumerate(text)
    )


def escape_glob(glob: str) -> str:
    """Write a glob, which has no quotes around it."""
    written = escape_parentheses(glob)
    is_read_otherwise = glob.startswith(('"', ":", "//")) or FILTER_REGEX.fullmatch(written)
    return f"\\{written}" if is_read_otherwise else written


def write_value(value: str) -> str:
    """Write the value of a substring or a name: bare if possible, else quoted."""
    is_bare = _BARE_VALUE.fullmatch(value) and not is_near_regex(value)
    return value if is_bare else quote(value)


def is_near_regex(raw: str) -> bool:
    r"""Return whether an unquoted value is meant as a pattern: `^src/`, `\.py$`, `.*_test`, `a|b`.

    `*.test.*` and `compose.*.yml` are globs.
    """
    plain = re.sub(r'\\["/()\-:\\]', " ", raw)
    return (
        "\\" in plain
        or plain.startswith("^")
        or plain.endswith("$")
        or bool(_PATTERN_OF_OTHERS.search(plain))
    )
