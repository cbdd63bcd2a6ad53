"""Where the next page starts: opaque, signed, and of use for the same search only."""

import hashlib
import json
from dataclasses import asdict, replace

from django.core import signing

from central.common.errors import InvalidError
from central.search.query import MAX_RESULTS, SearchRequest

_SALT = "central.search.cursor"


def encode_cursor(*, request: SearchRequest, organization: str, offset: int) -> str:
    """A cursor for the page that starts at `offset`."""
    return signing.dumps([_fingerprint(request, organization), offset], salt=_SALT)


def decode_cursor(*, request: SearchRequest, organization: str) -> int:
    """The offset that `request.cursor` stands for; 0 without one.

    Raises InvalidError if it was not given out for this query with these filters.
    """
    if not request.cursor:
        return 0
    try:
        fingerprint, offset = signing.loads(request.cursor, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError) as exc:
        raise _invalid("it is not one that a search has given out") from exc
    if fingerprint != _fingerprint(request, organization):
        raise _invalid("it belongs to a search with another query or other filters")
    if not 0 < offset < MAX_RESULTS:
        raise _invalid("it points outside the results")
    return int(offset)


def _fingerprint(request: SearchRequest, organization: str) -> str:
    """What decides order and content; the page's size and what is shown of a hit do not."""
    asked = asdict(replace(request, cursor="", limit=1, expand=0, max_content=0))
    text = json.dumps([organization, asked], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _invalid(why: str) -> InvalidError:
    detail = f"The cursor cannot be used: {why}. Leave it out to start at the first page."
    return InvalidError(detail, errors={"cursor": [detail]})
