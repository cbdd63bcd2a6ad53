"""Authors of commits as an organisation's policy has them: none, digests, or addresses.

With a policy of digests the client makes them: the address does not leave its machine.
"""

import hashlib
import hmac
import re
from enum import StrEnum
from typing import Final

from indexer.records.history import AUTHOR_CHARACTERS

_DIGITS: Final = 32  # of a digest
_DIGEST: Final = re.compile(r"[0-9a-f]{32}")


class AuthorPolicy(StrEnum):
    """What is stored of a commit's author."""

    OFF = "off"
    HASHED = "hashed"  # found by the whole address only
    PLAIN = "plain"


def author_digest(key: bytes, address: str) -> str:
    """Return the digest of an address, whatever its case: HMAC-SHA256, its first 128 bits."""
    return hmac.digest(key, address.lower().encode(), hashlib.sha256).hex()[:_DIGITS]


def is_author_digest(author: str) -> bool:
    """Whether a stored author is a digest; no address is one."""
    return _DIGEST.fullmatch(author) is not None


def author_by_policy(policy: AuthorPolicy, key: bytes, author: str) -> str:
    """Return what may be stored of an address, or of a digest, which stays one."""
    if policy is AuthorPolicy.OFF or not author:
        return ""
    if policy is AuthorPolicy.PLAIN or is_author_digest(author):
        return author.lower()[:AUTHOR_CHARACTERS]  # lower case may be longer
    return author_digest(key, author)
