"""An issuer's keys by id: fetched over HTTP within bounds, checked, and kept for a while."""

import ssl
import threading
import time
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Any, Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey, RSAPublicNumbers
from jwt import PyJWK
from jwt.exceptions import PyJWTError

from central.errors import UnavailableError

ISSUER_KEY_SET_BYTES: Final = 512 * 1024  # GitHub has a handful of keys, in some kilobytes
ISSUER_KEYS: Final = 100
ISSUER_KEY_ID_CHARACTERS: Final = 200
ISSUER_KEY_BITS_LEAST: Final = 2048
ISSUER_KEY_BITS: Final = 8192
ALGORITHM = "RS256"  # of GitHub
_KEEP_SECONDS = 600
# Any caller can name an unknown key, so that alone must not cause a request to the issuer.
_COOL_DOWN_SECONDS = 30
_RETRY_SECONDS = 5
_LOCK_SECONDS = 1  # for the fetch of another: each who waits has one of few threads
# There is no answer, or it is no set of keys.
_NO_KEYS = (OSError, ValueError)
# Raised for unexpected JSON of a key.
_NO_KEY = (
    *(PyJWTError, UnsupportedAlgorithm, ValueError, TypeError),
    *(KeyError, AttributeError, OverflowError),
)
_LARGEST_EXPONENT = 2**32  # a larger one makes a signature slow to verify
KEY_SET_SECONDS = 5


class IssuerKeys:
    """The keys of an issuer by id, for any number of threads. `clock` counts seconds."""

    def __init__(self, issuer: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._url = f"{issuer}/.well-known/jwks"
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: Mapping[str, PyJWK] = {}
        self._kept_until = self._next_fetch = clock()
        self._is_unavailable = False

    def key(self, key_id: str) -> PyJWK | None:
        """Return the issuer's RS256 key of this id; None if it has none.

        Raises UnavailableError (`oidc_keys_unavailable`) if the issuer does not answer.
        """
        if found := self._kept(key_id):
            return found
        if not self._lock.acquire(timeout=_LOCK_SECONDS):
            raise _unavailable()
        try:
            if self._clock() >= self._next_fetch:
                self._fetch()
            if found := self._kept(key_id):
                return found
            if self._is_unavailable:
                raise _unavailable()
        finally:
            self._lock.release()
        return None

    def _kept(self, key_id: str) -> PyJWK | None:
        return self._keys.get(key_id) if self._clock() < self._kept_until else None

    def _fetch(self) -> None:
        try:
            keys = usable_keys(fetch_key_set(self._url), algorithms=[ALGORITHM])
        except _NO_KEYS:
            self._is_unavailable = True
            self._next_fetch = self._clock() + _RETRY_SECONDS
            return
        now = self._clock()
        self._keys = {key.key_id: key for key in keys if key.key_id}
        self._kept_until, self._next_fetch = now + _KEEP_SECONDS, now + _COOL_DOWN_SECONDS
        self._is_unavailable = False


def _unavailable() -> UnavailableError:
    return UnavailableError(
        "The issuer of id tokens does not answer; try again shortly. An administrator can check "
        "AETERNA_GITHUB_OIDC_ISSUER and the way to it.",
        code="oidc_keys_unavailable",
    )


def usable_keys(key_set: Any, *, algorithms: Collection[str]) -> list[PyJWK]:
    """Return the public keys of a set that sign with one of `algorithms`, at bearable cost.

    Raises ValueError if it has none, has more than ISSUER_KEYS, or is no set.
    """
    listed = key_set.get("keys") if isinstance(key_set, dict) else None
    if not isinstance(listed, list) or len(listed) > ISSUER_KEYS:
        raise ValueError("There is no list of keys, or it is too long.")
    found = [key for key in map(_key, listed) if key and key.algorithm_name in algorithms]
    if not found:
        raise ValueError(f"There is no key that signs with {', '.join(algorithms)}.")
    return found


def _key(entry: Any) -> PyJWK | None:
    """Return a public key; None if it is none or costs too much, as a private one may."""
    if not isinstance(entry, dict) or entry.get("use", "sig") != "sig" or "d" in entry:
        return None
    key_id, algorithm = entry.get("kid", ""), entry.get("alg", "")
    if not isinstance(key_id, str) or len(key_id) > ISSUER_KEY_ID_CHARACTERS:
        return None
    if not isinstance(algorithm, str):
        return None
    try:
        key = PyJWK(entry)
        is_bearable = not isinstance(key.key, RSAPublicKey) or _is_sized(key.key.public_numbers())
    except _NO_KEY:
        return None
    return key if is_bearable else None


def _is_sized(numbers: RSAPublicNumbers) -> bool:
    is_sized = ISSUER_KEY_BITS_LEAST <= numbers.n.bit_length() <= ISSUER_KEY_BITS
    return is_sized and numbers.e < _LARGEST_EXPONENT


@lru_cache(maxsize=4)
def keys_of(issuer: str) -> IssuerKeys:
    """Return this process's IssuerKeys for `issuer`."""
    return IssuerKeys(issuer)


def fetch_key_set(url: str) -> Any:
    """Fetch the JSON object at `url`, without following redirects. Raises OSError, ValueError."""
    from central.http.bounded_session import BoundedSession  # needed by few processes

    authorities = ssl.get_default_verify_paths()  # the machine's, or those of SSL_CERT_FILE
    with BoundedSession(seconds=KEY_SET_SECONDS, max_bytes=ISSUER_KEY_SET_BYTES) as session:
        answer = session.get(url, verify=authorities.cafile or authorities.capath or True)
    answer.raise_for_status()
    return answer.json()
