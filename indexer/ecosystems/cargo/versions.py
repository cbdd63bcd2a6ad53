"""Ranges of Cargo."""

from indexer.ecosystems.versions import allows_semantic


def allows(required: str, version: str) -> bool:
    """Whether a version is in a range of Cargo: parts after commas, `^` if nothing else is written.

    Raises ValueError.
    """
    return all(allows_semantic(_caret(part.strip()), version) for part in required.split(","))


def _caret(part: str) -> str:
    return f"^{part}" if part[:1].isdigit() and "*" not in part else part
