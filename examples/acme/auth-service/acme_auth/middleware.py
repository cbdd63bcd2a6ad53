"""The WSGI middleware with which every service checks who is calling."""

import json
import logging
from collections.abc import Callable, Iterable
from typing import Any

from acme_auth.permissions import PermissionDeniedError
from acme_auth.tokens import KeyRing, TokenError, verify_token

CLAIMS_KEY = "acme.auth.claims"
PUBLIC_PATHS = frozenset({"/healthz", "/readyz"})

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
logger = logging.getLogger(__name__)


class AuthMiddleware:
    """Lets a request through only with a valid bearer token, and leaves its claims in the environ.

    Requests without a token get 401, those that the application refuses by PermissionDeniedError
    get 403. Health checks need no token, and each service may name more `public_paths`. See ADR-0002.
    """

    def __init__(
        self, app: WsgiApp, keys: KeyRing, audience: str, public_paths: Iterable[str] = ()
    ) -> None:
        self._app = app
        self._keys = keys
        self._audience = audience
        self._public_paths = PUBLIC_PATHS | frozenset(public_paths)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ.get("PATH_INFO", "/") in self._public_paths:
            return self._app(environ, start_response)
        try:
            environ[CLAIMS_KEY] = verify_token(bearer_token(environ), self._keys, self._audience)
        except TokenError as exc:
            logger.info("token refused: %s", exc)
            return _problem(start_response, "401 Unauthorized", "a valid access token is required")
        try:
            return self._app(environ, start_response)
        except PermissionDeniedError as exc:
            return _problem(start_response, "403 Forbidden", f"this needs {exc.permission}")


def bearer_token(environ: dict[str, Any]) -> str:
    """The token of the Authorization header. Raises TokenError when there is none."""
    scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise TokenError("no bearer token")
    return str(token.strip())


def _problem(start_response: Callable[..., Any], status: str, detail: str) -> Iterable[bytes]:
    body = json.dumps({"title": status[4:], "status": int(status[:3]), "detail": detail}).encode()
    start_response(status, [("Content-Type", "application/problem+json")])
    return [body]
