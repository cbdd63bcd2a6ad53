"""Page cursors: opaque, signed, and valid for the same query only."""

import hashlib
import json
from typing import Any

from django.core import signing

from central.errors import InvalidError


def encode_cursor(*, salt: str, asked: object, position: object) -> str:
    """Return a cursor for the page that starts at `position`, which is JSON.

    `asked` is the query as JSON: all that decides order and content, without the page size.
    """
    return signing.dumps([_fingerprint(asked), position], salt=salt, compress=True)


def decode_cursor(cursor: str, *, salt: str, asked: object) -> Any:
    """Return the position of a cursor; None for "".

    Raises InvalidError if the cursor was not issued for `asked`.
    """
    if not cursor:
        return None
    try:
        fingerprint, position = signing.loads(cursor, salt=salt)
    except (signing.BadSignature, ValueError, TypeError) as exc:
        raise _invalid("this address did not issue it") from exc
    if fingerprint != _fingerprint(asked):
        raise _invalid("it belongs to another query or other filters")
    return position


def _fingerprint(asked: object) -> str:
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:16]


def _invalid(why: str) -> InvalidError:
    detail = f"The cursor cannot be used: {why}. Leave it out to start at the first page."
    return InvalidError(detail, errors={"cursor": [detail]})
