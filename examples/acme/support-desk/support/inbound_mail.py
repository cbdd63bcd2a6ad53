"""Mail from customers becomes tickets; replies find their ticket by a token in the address."""

import hashlib
import hmac
import re

_REPLY_TO = re.compile(r"^ticket\+(?P<ticket>\d+)\.(?P<token>[0-9a-f]{12})@")
_QUOTE = re.compile(r"^(>|On .+ wrote:$)")


def reply_address(ticket: int, secret: bytes) -> str:
    """The address to which the customer's mail program will reply."""
    return f"ticket+{ticket}.{_token(ticket, secret)}@support.acme.example"


def verify_token(address: str, secret: bytes) -> int | None:
    """The ticket that a reply belongs to, or None when the address was made up.

    Without the check anybody could write into any ticket by counting.
    """
    match = _REPLY_TO.match(address)
    if match is None or not hmac.compare_digest(match["token"], _token(int(match["ticket"]), secret)):
        return None
    return int(match["ticket"])


def strip_quotes(body: str) -> str:
    """The new part of a reply, without the quoted conversation below it."""
    kept = []
    for line in body.splitlines():
        if _QUOTE.match(line):
            break
        kept.append(line)
    return "\n".join(kept).strip()


def _token(ticket: int, secret: bytes) -> str:
    return hmac.new(secret, str(ticket).encode(), hashlib.sha256).hexdigest()[:12]
