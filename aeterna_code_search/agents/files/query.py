"""Whether the query of `code_grep` is in the query language, or one literal with filters."""

import re
from typing import Final

# What docs/reference/query.md says of terms; the service reads them, and reports errors.
_NAMES: Final = "repo|r|file|f|path|lang|language|l|sym|symbol|type|owner|case|content"
_QUOTED: Final = r'"(?:[^"\\]|\\.)+"|/(?![\s*])(?:[^/\\]|\\.)+/'
_EXACT: Final = re.compile(rf"-?(?:(?:{_NAMES}):)?(?:{_QUOTED})(?=[\s)]|$)")
_FILTER: Final = re.compile(rf"-?(?:{_NAMES}):(?!:|//)[^\s\"()]+")
_OTHER: Final = re.compile(r"-?\(|\)|(?:OR|AND|NOT)(?=[\s(]|$)|-\w\S+")
_SPACE: Final = re.compile(r"\s*")


def is_query_language(text: str) -> bool:
    """Return whether `text` is quoted text, /patterns/ and filters, without plain words."""
    at, has_term = 0, False
    while (at := _end(_SPACE, text, at)) < len(text):
        term = max(_end(_EXACT, text, at), _end(_FILTER, text, at))
        end = max(term, _end(_OTHER, text, at))
        if end == at:
            return False
        has_term = has_term or term > at
        at = end
    return has_term


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
