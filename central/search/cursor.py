"""Where the next page of a search starts."""

from dataclasses import asdict, replace

from central.common import paging
from central.search.query import SearchRequest

_SALT = "central.search.cursor"


def encode_cursor(*, request: SearchRequest, organization: str, offset: int) -> str:
    """A cursor for the page that starts at `offset`."""
    return paging.encode_cursor(salt=_SALT, asked=_asked(request, organization), position=offset)


def decode_cursor(*, request: SearchRequest, organization: str) -> int:
    """The offset that `request.cursor` stands for; 0 without one.

    Raises InvalidError if it was not given out for this query with these filters.
    """
    asked = _asked(request, organization)
    return int(paging.decode_cursor(request.cursor, salt=_SALT, asked=asked) or 0)


def _asked(request: SearchRequest, organization: str) -> object:
    """What decides order and content; the page's size and what is shown of a hit do not."""
    asked = asdict(replace(request, cursor="", limit=1, expand=0, max_content=0))
    del asked["explain"]
    return [organization, asked]
