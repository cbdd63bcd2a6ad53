"""The three things that a person does with this service: log in, stay logged in, log out."""

from dataclasses import dataclass
from typing import Protocol

from acme_common.clock import Clock
from acme_common.retry import RetryPolicy, retry_call

from acme_auth.passwords import hash_password, needs_rehash, verify_password
from acme_auth.sessions import Session, SessionStore
from acme_auth.throttle import LoginThrottle
from acme_auth.tokens import ACCESS_TOKEN_LIFETIME, KeyRing, TokenClaims, sign_token


class LoginFailedError(Exception):
    """Wrong name or password, or a locked account: the caller is not told which."""


@dataclass(slots=True)
class User:
    id: str
    email: str
    password_hash: str
    roles: tuple[str, ...]


class UserDirectory(Protocol):
    """Where users are stored. May raise ConnectionError, which is worth another attempt."""

    def find_by_email(self, email: str) -> User | None: ...

    def save(self, user: User) -> None: ...


@dataclass(frozen=True, slots=True)
class TokenPair:
    access_token: str
    refresh_token: str


@dataclass(slots=True)
class HandleLogin:
    """Checks a password and opens a session."""

    users: UserDirectory
    sessions: SessionStore
    throttle: LoginThrottle
    keys: KeyRing
    clock: Clock

    def __call__(self, email: str, password: str, audience: str) -> TokenPair:
        """Log in. Raises LoginFailedError, after the same work whether or not the account exists."""
        if self.throttle.is_locked(email):
            raise LoginFailedError
        user = retry_call(self.users.find_by_email, email, policy=RetryPolicy(attempts=3))
        stored = user.password_hash if user else _DUMMY_HASH
        if not verify_password(password, stored) or user is None:
            self.throttle.record_failure(email)
            raise LoginFailedError
        self.throttle.reset(email)
        if needs_rehash(user.password_hash):
            user.password_hash = hash_password(password)
            self.users.save(user)
        session, refresh_token = self.sessions.create(user.id)
        return TokenPair(self._access_token(user, session, audience), refresh_token)

    def _access_token(self, user: User, session: Session, audience: str) -> str:
        expires_at = int((self.clock.now() + ACCESS_TOKEN_LIFETIME).timestamp())
        return sign_token(TokenClaims(user.id, audience, user.roles, expires_at, session.id), self.keys)


def handle_refresh(
    sessions: SessionStore, keys: KeyRing, clock: Clock, refresh_token: str, roles: tuple[str, ...], audience: str
) -> TokenPair:
    """Trade a refresh token for a new pair. Raises SessionRevokedError."""
    session, fresh = sessions.rotate(refresh_token)
    expires_at = int((clock.now() + ACCESS_TOKEN_LIFETIME).timestamp())
    claims = TokenClaims(session.user_id, audience, roles, expires_at, session.id)
    return TokenPair(sign_token(claims, keys), fresh)


def handle_logout(sessions: SessionStore, claims: TokenClaims, everywhere: bool = False) -> int:
    """End this session, or all of the user's. Returns how many were ended."""
    if everywhere:
        return sessions.revoke_all(claims.subject)
    sessions.revoke(claims.session_id)
    return 1


# Verified against when the account does not exist, so that the answer takes as long.
_DUMMY_HASH = hash_password("no account has this password")
