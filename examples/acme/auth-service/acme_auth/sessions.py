"""Sessions and their refresh tokens, which are replaced each time they are used."""

import hashlib
import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from acme_common.clock import Clock
from acme_common.ids import new_id

SESSION_LIFETIME = timedelta(days=30)


class SessionRevokedError(Exception):
    """The session has ended, or its refresh token was used twice."""


@dataclass(frozen=True, slots=True)
class Session:
    """One log-in on one device. Only the digest of the refresh token is kept."""

    id: str
    user_id: str
    refresh_digest: str
    expires_at: datetime
    revoked: bool = False


class SessionStore:
    """Sessions in memory; the deployed service keeps the same records in its database."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sessions: dict[str, Session] = {}

    def create(self, user_id: str) -> tuple[Session, str]:
        """Start a session. The refresh token is returned once and cannot be read again."""
        session_id, secret = new_id("ses"), secrets.token_urlsafe(32)
        session = Session(session_id, user_id, _digest(secret), self._clock.now() + SESSION_LIFETIME)
        self._sessions[session_id] = session
        return session, f"{session_id}.{secret}"

    def rotate(self, refresh_token: str) -> tuple[Session, str]:
        """Exchange a refresh token for a new one. Implements ADR-0004.

        A token that was already exchanged means that two parties hold it, and we cannot know which
        one is the thief: the session is revoked for both.
        """
        session_id, _, secret = refresh_token.partition(".")
        session = self._sessions.get(session_id)
        if session is None or session.revoked or session.expires_at < self._clock.now():
            raise SessionRevokedError("log in again")
        if session.refresh_digest != _digest(secret):
            self.revoke(session_id)
            raise SessionRevokedError("refresh token was used twice")
        fresh = secrets.token_urlsafe(32)
        session = replace(session, refresh_digest=_digest(fresh))
        self._sessions[session_id] = session
        return session, f"{session_id}.{fresh}"

    def revoke(self, session_id: str) -> None:
        """End a session. Its access token lives on for at most a quarter of an hour."""
        session = self._sessions.get(session_id)
        if session is not None:
            self._sessions[session_id] = replace(session, revoked=True)

    def revoke_all(self, user_id: str) -> int:
        """Log a user out everywhere, for example after a password change. Returns how many ended."""
        live = [s for s in self._sessions.values() if s.user_id == user_id and not s.revoked]
        for session in live:
            self.revoke(session.id)
        return len(live)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
