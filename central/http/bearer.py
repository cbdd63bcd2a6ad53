"""The Authorization header: `Bearer aet_…`, parsed here for the API, its uploads and /mcp."""

import re
from typing import Final

from central.errors import UnauthenticatedError

TOKEN_PREFIX: Final = "aet_"  # noqa: S105 (what secret scanners know it by)
_TOKEN: Final = re.compile(rf"{TOKEN_PREFIX}[A-Za-z0-9_-]{{43}}\Z")


def bearer_token(authorization: str | None) -> str:
    """Return the token of an Authorization header, whether or not such a token exists.

    Raises UnauthenticatedError without a header and for what is not written as a token. That
    refuses several headers, too, which Django joins by commas: a proxy may have checked another.
    """
    if authorization is None:
        raise missing_token()
    scheme, token = split_authorization(authorization)
    if scheme.lower() != "bearer" or not is_token(token):
        raise invalid_token()
    return token


def split_authorization(header: str) -> tuple[str, str]:
    """Return scheme and credentials of an Authorization header, whatever they are."""
    scheme, _, credentials = header.partition(" ")
    return scheme, credentials


def is_token(text: str) -> bool:
    """Whether `text` is written as a token; not whether there is such a one."""
    return _TOKEN.match(text) is not None


def missing_token() -> UnauthenticatedError:
    """Return the error of a request without a token."""
    return UnauthenticatedError("Send 'Authorization: Bearer <api token>'.")


def invalid_token() -> UnauthenticatedError:
    """Return the error of a request whose token is malformed or unknown."""
    return UnauthenticatedError(
        "The credential is not known here; send 'Authorization: Bearer <api token>'.",
        code="invalid_token",
    )
