"""An OpenID Connect provider over HTTP on loopback: discovery, codes with PKCE, id tokens, keys."""

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, BinaryIO
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.listening import Listening

CLIENT_ID = "aeterna"
CLIENT_SECRET = "s3cret-of-the-client"


class LocalProvider(Listening):
    """Whoever comes is signed in as `person`. What is in `forged` replaces claims of id tokens.

    `with LocalProvider() as provider:` serves until the block ends. `told` is what the user
    information says beside the subject; `asked` keeps what the last authorisation asked for.
    """

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.provider = self  # type: ignore[attr-defined]
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        self.reset()

    def reset(self) -> None:
        """As it is before each test."""
        self.person: dict[str, Any] = {"sub": "1001", "preferred_username": "ada"}
        self.told: dict[str, Any] = {"email": "ada@acme.example", "email_verified": True}
        self.forged: dict[str, Any] = {}
        self.configuration: dict[str, Any] = {}
        self.signing_key: Any = self.key
        self.algorithm = "RS256"
        self.asked: dict[str, str] = {}
        self._codes: dict[str, dict[str, str]] = {}
        self.raw: dict[str, Callable[[BinaryIO], None]] = {}  # by path: what writes all of it

    def discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "jwks_uri": f"{self.issuer}/keys",
            **self.configuration,
        }

    def keys(self) -> dict[str, Any]:
        public = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [{**public, "alg": "RS256", "use": "sig", "kid": "one"}]}

    def code(self, asked: dict[str, str]) -> str:
        """Send the browser back with a code, as after a person's consent: the address."""
        self.asked = asked
        code = secrets.token_urlsafe(12)
        self._codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def tokens(self, form: dict[str, str]) -> dict[str, str] | None:
        """For a code, once, to whom it was given; None: refused."""
        asked = self._codes.pop(form.get("code", ""), None)
        if asked is None:
            return None
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        who = form.get("client_id"), form.get("client_secret"), form.get("redirect_uri")
        if challenge != asked["code_challenge"] or who != (
            *(CLIENT_ID, CLIENT_SECRET),
            asked["redirect_uri"],
        ):
            return None
        now = int(time.time())
        claims = {
            **self.person,
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": asked.get("nonce"),
            **self.forged,
        }
        id_token = jwt.api_jws.encode(  # jwt.encode would refuse claims of other kinds
            json.dumps(claims).encode(), self.signing_key, self.algorithm, headers={"kid": "one"}
        )
        return {"access_token": "opaque", "token_type": "Bearer", "id_token": id_token}


class _Handler(BaseHTTPRequestHandler):
    @property
    def _provider(self) -> LocalProvider:
        provider: LocalProvider = self.server.provider  # type: ignore[attr-defined]
        return provider

    def _is_raw(self, path: str) -> bool:
        """Whether the answer was written byte by byte; a client that has enough of it left."""
        write = self._provider.raw.get(path)
        if write is None:
            return False
        self.close_connection = True
        with suppress(ConnectionError):
            write(self.connection.makefile("wb", 0))
        return True

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if self._is_raw(address.path):
            return
        if address.path == "/authorize":
            self.send_response(302)
            self.send_header("Location", self._provider.code(dict(parse_qsl(address.query))))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self._answer(
            {
                "/.well-known/openid-configuration": self._provider.discovery(),
                "/keys": self._provider.keys(),
                "/userinfo": {"sub": self._provider.person["sub"], **self._provider.told},
            }.get(address.path)
        )

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        form = dict(parse_qsl(self.rfile.read(length).decode()))
        if self._is_raw(self.path):
            return
        self._answer(self._provider.tokens(form) if self.path == "/token" else None)

    def _answer(self, document: object) -> None:
        body = json.dumps(document).encode()
        self.send_response(400 if document is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        """Nothing."""
