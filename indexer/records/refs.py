"""Names of branches: full ones, as git has them, and short ones."""

from typing import Final

HEADS: Final = "refs/heads/"


def short_name(ref: str) -> str:
    """Return the name of a branch without `refs/heads/`; other refs stay whole."""
    return ref.removeprefix(HEADS)
