"""Public identifiers: a prefix that says what it names, then a sortable random part."""

import secrets
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u
_TIME_CHARS = 10
_RANDOM_CHARS = 16


def _encode(number: int, width: int) -> str:
    characters = []
    for _ in range(width):
        number, digit = divmod(number, 32)
        characters.append(_ALPHABET[digit])
    return "".join(reversed(characters))


def new_id(prefix: str, now_ms: int | None = None) -> str:
    """Make an identifier such as `inv_01hx3k…`. Later ones sort after earlier ones."""
    milliseconds = int(time.time() * 1000) if now_ms is None else now_ms
    return f"{prefix}_{_encode(milliseconds, _TIME_CHARS)}{_encode(secrets.randbits(80), _RANDOM_CHARS)}"


def is_id(text: str, prefix: str) -> bool:
    """Whether `text` has the shape of an identifier with this prefix. Says nothing about existence."""
    head, _, body = text.partition("_")
    return head == prefix and len(body) == _TIME_CHARS + _RANDOM_CHARS and set(body) <= set(_ALPHABET)


def created_at_ms(identifier: str) -> int:
    """The time in an identifier, in milliseconds since 1970."""
    body = identifier.partition("_")[2]
    value = 0
    for character in body[:_TIME_CHARS]:
        value = value * 32 + _ALPHABET.index(character)
    return value
