"""The WSGI application of the auth service itself."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from acme_common.clock import SystemClock
from acme_common.logging import configure_logging

from acme_auth.handlers import HandleLogin, LoginFailedError, UserDirectory, handle_logout
from acme_auth.middleware import CLAIMS_KEY, AuthMiddleware
from acme_auth.sessions import SessionStore
from acme_auth.throttle import LoginThrottle
from acme_auth.tokens import KeyRing


class AuthRoutes:
    """`POST /login` and `POST /logout`."""

    def __init__(self, login: HandleLogin, sessions: SessionStore) -> None:
        self._login = login
        self._sessions = sessions

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/logout":
            handle_logout(self._sessions, environ[CLAIMS_KEY])
            start_response("204 No Content", [])
            return []
        form = json.load(environ["wsgi.input"])
        try:
            tokens = self._login(form["email"], form["password"], form["audience"])
        except LoginFailedError:
            start_response("401 Unauthorized", [])
            return []
        start_response("200 OK", [("Content-Type", "application/json")])
        return [json.dumps({"access_token": tokens.access_token}).encode()]


def create_app(users: UserDirectory) -> AuthMiddleware:
    """Wire the service. Logging in is the one thing that needs no token."""
    configure_logging("auth-service")
    clock, keys = SystemClock(), KeyRing.from_environment()
    sessions = SessionStore(clock)
    login = HandleLogin(users, sessions, LoginThrottle(clock), keys, clock)
    return AuthMiddleware(AuthRoutes(login, sessions), keys, audience="auth", public_paths=["/login"])
