"""Opaque cursors for list endpoints: stable while rows are added, unlike page numbers."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
MAX_PAGE_SIZE = 200


class InvalidCursorError(ValueError):
    """The cursor was not made by this API."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page; `next_cursor` is None on the last."""

    items: list[T]
    next_cursor: str | None


def encode_cursor(last_key: str) -> str:
    """Hide the sort key of a page's last item, so that clients do not build on its form."""
    return base64.urlsafe_b64encode(json.dumps({"after": last_key}).encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> str:
    """The sort key after which the next page starts. Raises InvalidCursorError."""
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        return str(json.loads(raw)["after"])
    except (binascii.Error, ValueError, KeyError, TypeError) as exc:
        raise InvalidCursorError("ask for the first page without a cursor") from exc


def paginate(items: Sequence[T], key: Callable[[T], str], cursor: str | None, limit: int) -> Page[T]:
    """Cut a page out of `items`, which must be sorted by `key`. `limit` above MAX_PAGE_SIZE is an error."""
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise ValueError(f"limit must be between 1 and {MAX_PAGE_SIZE}")
    after = decode_cursor(cursor) if cursor else None
    rest = [item for item in items if after is None or key(item) > after]
    page = rest[:limit]
    more = len(rest) > limit
    return Page(page, encode_cursor(key(page[-1])) if more else None)
