"""Which of two versions is older, by the rules of each ecosystem."""

from indexer.ecosystems import ECOSYSTEMS


def is_older(ecosystem: str, *, pinned: str, indexed: str) -> bool | None:
    """Whether `pinned` is older than `indexed`; None if either is unknown or unreadable."""
    rules = ECOSYSTEMS.get(ecosystem)
    if rules is None or not pinned.strip() or not indexed.strip():
        return None
    try:
        return bool(rules.parse_version(pinned) < rules.parse_version(indexed))
    except ValueError:
        return None
