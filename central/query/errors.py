"""The refusal of a query: where in the text, and what to write instead."""

from collections.abc import Collection

from central.errors import InvalidError
from central.sentences import similar_names


class QueryError(InvalidError):
    """The query cannot be read; `column` is 1-based, and the message says what to write."""

    code = "invalid_query"

    def __init__(self, message: str, *, column: int) -> None:
        super().__init__(f"Column {column}: {message}", column=column)
        self.column = column


def known_names(name: str, known: Collection[str]) -> str:
    """Return a sentence with the known names that resemble the name; all if there are few."""
    if near := similar_names([name], dict(zip(known, known, strict=True))):
        return near.lstrip()
    return f"Known names: {', '.join(sorted(known))}." if len(known) <= 12 else ""
