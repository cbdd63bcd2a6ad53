"""The key of a repository at its forge: the forge's number and the forge's own id, in 63 bits.

GitHub, which is no row of `Forge`, has number 0: there the key is GitHub's id.
"""

from indexer.forge.repositories import LARGEST_FORGE_ID

_BITS = LARGEST_FORGE_ID.bit_length()


def forge_key(forge_number: int, repository_id: int) -> int:
    """Return the key. Raises ValueError for an id that no forge has."""
    if not 0 < repository_id <= LARGEST_FORGE_ID:
        raise ValueError(f"A repository's id is 1 to {LARGEST_FORGE_ID}.")
    return forge_number << _BITS | repository_id


def id_at_forge(key: int) -> int:
    """Return the forge's own id of a repository."""
    return key & LARGEST_FORGE_ID


def forge_number(key: int) -> int:
    """Return the forge's key in `Forge`; 0 for GitHub."""
    return key >> _BITS
