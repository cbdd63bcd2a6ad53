"""The refusal of a query: where in the text, and what to write instead."""

from collections.abc import Collection
from difflib import get_close_matches

from central.errors import InvalidError


class QueryError(InvalidError):
    """The query cannot be read; `column` is 1-based, and the message says what to write."""

    code = "invalid_query"

    def __init__(self, message: str, *, column: int) -> None:
        super().__init__(f"Column {column}: {message}", column=column)
        self.column = column


def similar_names(name: str, known: Collection[str]) -> str:
    """Return a sentence with the known names that resemble the name; all if there are few."""
    near = get_close_matches(name.lower(), known, n=3, cutoff=0.6)
    if near:
        return f"Near names: {', '.join(near)}."
    return f"Known names: {', '.join(sorted(known))}." if len(known) <= 12 else ""
