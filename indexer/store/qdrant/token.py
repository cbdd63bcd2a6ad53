"""Qdrant's own tokens: a JWT (RFC 7519, HS256) signed with the server's API key.

Claims as its documentation on granular access control has them; checked with PyJWT in the tests.
"""

import base64
import hashlib
import hmac
import json
from datetime import datetime
from typing import Any


def access_token(api_key: str, *, collection: str, expires_at: datetime) -> str:
    """A token that reads and writes `collection`, and may do nothing to any other.

    To Qdrant that is its points, its payload indexes and snapshots of it; not its settings.
    """
    claims = {
        "exp": int(expires_at.timestamp()),
        "access": [{"collection": collection, "access": "rw"}],
    }
    signed = f"{_encoded({'alg': 'HS256', 'typ': 'JWT'})}.{_encoded(claims)}"
    signature = hmac.digest(api_key.encode(), signed.encode(), hashlib.sha256)
    return f"{signed}.{_base64(signature)}"


def _encoded(part: dict[str, Any]) -> str:
    return _base64(json.dumps(part, separators=(",", ":")).encode())


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
