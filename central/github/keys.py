"""The public keys of an issuer of id tokens: fetched when needed, kept for a while."""

import threading
import time
from collections.abc import Callable, Mapping
from functools import lru_cache

from jwt import PyJWK, PyJWKClient
from jwt.exceptions import PyJWTError

from central.common.errors import UnavailableError

_TIMEOUT_SECONDS = 3
_KEEP_SECONDS = 600
# Anybody can name a key that does not exist, so that is no reason to ask the issuer each time.
_COOL_DOWN_SECONDS = 30
_RETRY_SECONDS = 5
# No answer, or none that is a set of keys; the last two are of JSON that nobody expects.
_NO_KEYS = (PyJWTError, OSError, ValueError, TypeError, RecursionError)


class IssuerKeys:
    """Keys by id, for any number of threads. `clock` counts seconds from anywhere."""

    def __init__(self, issuer: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        # It follows no redirects; its own cache knows no cool-down after a failure.
        self._client = PyJWKClient(
            f"{issuer}/.well-known/jwks", cache_jwk_set=False, timeout=_TIMEOUT_SECONDS
        )
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: Mapping[str, PyJWK] = {}
        self._kept_until = self._next_fetch = clock()
        self._is_away = False

    def key(self, key_id: str) -> PyJWK | None:
        """The issuer's RS256 key of this id, None if it has no such one.

        Raises UnavailableError (`oidc_keys_unavailable`) where that cannot be said.
        """
        if found := self._kept(key_id):
            return found
        with self._lock:
            if self._clock() >= self._next_fetch:
                self._fetch()
            if found := self._kept(key_id):
                return found
            if self._is_away:
                raise UnavailableError(
                    "The issuer of id tokens does not answer; try again shortly. An administrator "
                    "can check AETERNA_GITHUB_OIDC_ISSUER and the way to it.",
                    code="oidc_keys_unavailable",
                )
        return None

    def _kept(self, key_id: str) -> PyJWK | None:
        return self._keys.get(key_id) if self._clock() < self._kept_until else None

    def _fetch(self) -> None:
        try:
            keys = self._client.get_signing_keys()
        except _NO_KEYS:
            self._is_away = True
            self._next_fetch = self._clock() + _RETRY_SECONDS
            return
        now = self._clock()
        self._keys = {key.key_id: key for key in keys if key.key_id and _is_rs256(key)}
        self._kept_until, self._next_fetch = now + _KEEP_SECONDS, now + _COOL_DOWN_SECONDS
        self._is_away = False


def _is_rs256(key: PyJWK) -> bool:
    return key.key_type == "RSA" and key.algorithm_name == "RS256"


@lru_cache(maxsize=4)
def keys_of(issuer: str) -> IssuerKeys:
    """The one IssuerKeys of this process for `issuer`."""
    return IssuerKeys(issuer)
