"""A tree of trigrams evaluated by a scan."""

from central.corpus.trigrams.tree import All, Any, Everything, Tree, Trigram


def satisfies(tree: Tree, hashes: set[int]) -> bool:
    """Whether a text with these trigrams is a candidate."""
    match tree:
        case Everything():
            return True
        case Trigram(value):
            return value in hashes
        case All(parts):
            return all(satisfies(part, hashes) for part in parts)
        case Any(parts):
            return any(satisfies(part, hashes) for part in parts)
