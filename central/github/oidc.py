"""Identity tokens of GitHub's jobs: their keys and claims."""

import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from http.client import HTTPException
from typing import Any

import jwt
from jwt import PyJWK, exceptions
from jwt.exceptions import PyJWTError

from central.errors import UnauthenticatedError, UnavailableError
from central.github.key_sets import fetch_key_set
from indexer.limits import (
    ISSUER_KEY_BITS,
    ISSUER_KEY_BITS_LEAST,
    ISSUER_KEY_ID_CHARACTERS,
    ISSUER_KEYS,
)

_KEEP_SECONDS = 600
# Anybody can name a key that does not exist, so that is no reason to ask the issuer each time.
_COOL_DOWN_SECONDS = 30
_RETRY_SECONDS = 5
# No answer, or none that is a set of keys.
_NO_KEYS = (OSError, HTTPException, ValueError, RecursionError)
# What makes a key of JSON that nobody expects.
_NO_KEY = (PyJWTError, ValueError, TypeError, KeyError, AttributeError, OverflowError)
_LARGEST_EXPONENT = 2**32  # a larger one makes a signature slow to verify


class IssuerKeys:
    """Keys by id, for any number of threads. `clock` counts seconds from anywhere."""

    def __init__(self, issuer: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._url = f"{issuer}/.well-known/jwks"
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
            keys = _keys_in(fetch_key_set(self._url))
        except _NO_KEYS:
            self._is_away = True
            self._next_fetch = self._clock() + _RETRY_SECONDS
            return
        now = self._clock()
        self._keys = keys
        self._kept_until, self._next_fetch = now + _KEEP_SECONDS, now + _COOL_DOWN_SECONDS
        self._is_away = False


def _keys_in(key_set: Any) -> Mapping[str, PyJWK]:
    """The usable keys of a set, by id. Raises ValueError for what is no set, or has none."""
    listed = key_set.get("keys") if isinstance(key_set, dict) else None
    if not isinstance(listed, list) or len(listed) > ISSUER_KEYS:
        raise ValueError("There is no list of keys, or it is too long.")
    found = {key.key_id: key for key in map(_key, listed) if key is not None and key.key_id}
    if not found:
        raise ValueError("There is no key that signs with RS256.")
    return found


def _key(told: Any) -> PyJWK | None:
    """A key that signs with RS256, at bearable cost; None for every other."""
    if not isinstance(told, dict) or told.get("use", "sig") != "sig":
        return None
    key_id = told.get("kid")
    if not isinstance(key_id, str) or len(key_id) > ISSUER_KEY_ID_CHARACTERS:
        return None
    if told.get("kty") != "RSA" or told.get("alg", "RS256") != "RS256" or "d" in told:
        return None
    try:
        key = PyJWK(told, "RS256")
        numbers = key.key.public_numbers()
    except _NO_KEY:
        return None
    is_sized = ISSUER_KEY_BITS_LEAST <= numbers.n.bit_length() <= ISSUER_KEY_BITS
    return key if is_sized and numbers.e < _LARGEST_EXPONENT else None


@lru_cache(maxsize=4)
def keys_of(issuer: str) -> IssuerKeys:
    """The one IssuerKeys of this process for `issuer`."""
    return IssuerKeys(issuer)


LEEWAY = timedelta(seconds=30)
_ALGORITHM = "RS256"
_LATEST = 2**40  # seconds; a datetime can hold it
MAX_ID = 2**63 - 1
# github.com, a tenant of ghe.com, GitHub Enterprise Server; each may name an enterprise at the end.
_HOST = r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::[0-9]{1,5})?"
_ISSUER = re.compile(
    r"https://token\.actions\.githubusercontent\.com(?:/[A-Za-z0-9-]+)?"
    r"|https://token\.actions\.(?P<tenant>[A-Za-z0-9-]+)\.ghe\.com(?:/[A-Za-z0-9-]+)?"
    rf"|https://(?P<server>{_HOST})/_services/token(?:/[A-Za-z0-9-]+)?"
)

_ID = re.compile(r"[1-9][0-9]{0,18}")
# `sub` is not among them: its format is the owner's to choose.
_SHAPES: Mapping[str, re.Pattern[str]] = {
    "jti": re.compile(r"[\x21-\x7e]{1,200}"),
    "repository": re.compile(r"[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}"),
    "repository_id": _ID,
    "repository_owner_id": _ID,
    "repository_visibility": re.compile(r"public|internal|private"),
    "ref": re.compile(r"refs/[^\x00-\x20\x7f~^:?*\[\\\ud800-\udfff]{1,250}"),
    "sha": re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}"),
    "event_name": re.compile(r"[a-z_]{1,40}"),
}

# Code and sentence by what PyJWT raises; a subclass may stand beside its parent.
_REFUSALS: Mapping[type[exceptions.PyJWTError], tuple[str, str]] = {
    exceptions.InvalidIssuerError: (
        "oidc_issuer",
        "The id token is of another issuer than AETERNA_GITHUB_OIDC_ISSUER; an administrator can "
        "set it to that of the GitHub Enterprise Server.",
    ),
    exceptions.InvalidAudienceError: (
        "oidc_audience",
        "The id token is for another audience; ask GitHub for one whose audience is this "
        "service's AETERNA_PUBLIC_URL, alone.",
    ),
    exceptions.ExpiredSignatureError: (
        "oidc_expired",
        "The id token has expired; ask GitHub for another.",
    ),
    exceptions.ImmatureSignatureError: (
        "oidc_not_yet_valid",
        "The id token is not valid yet; set the clock of this service's machine.",
    ),
    exceptions.PyJWTError: (
        "oidc_invalid",
        "This is no id token that the issuer (AETERNA_GITHUB_OIDC_ISSUER) signed with RS256; send "
        "the one that the job gets with `permissions: id-token: write`.",
    ),
}


@dataclass(frozen=True, slots=True)
class Claims:
    """A job, as GitHub signed it. `ref` is a full name, `repository` one with its owner's.

    `job_workflow_ref` is "" where GitHub says none, `url`, the repository's page, where the issuer
    does not tell the server.
    """

    token_id: str
    issued_at: datetime
    expires_at: datetime
    owner_id: int
    repository_id: int
    repository: str
    visibility: str
    ref: str
    commit_sha: str
    event: str
    job_workflow_ref: str
    url: str = ""

    @property
    def project(self) -> str:
        """The repository's name without its owner's."""
        return self.repository.partition("/")[2]


def verify_id_token(token: str, *, issuer: str, audience: str, keys: IssuerKeys) -> Claims:
    """The claims of a token that `issuer` signed for `audience`, which must be its only one.

    Raises UnauthenticatedError with the codes of docs/github.md, UnavailableError. No message
    repeats the token or a claim's value.
    """
    try:
        payload = _verified_payload(token, issuer=issuer, audience=audience, keys=keys)
    except exceptions.MissingRequiredClaimError as exc:
        raise _missing(exc.claim) from exc
    except (RecursionError, OverflowError) as exc:  # of JSON and numbers that nobody expects
        raise _refused(exceptions.DecodeError()) from exc
    except exceptions.PyJWTError as exc:
        raise _refused(exc) from exc
    claims = _claims(payload)
    server = forge_of(issuer)
    return replace(claims, url=f"{server}/{claims.repository}") if server else claims


def _refused(error: exceptions.PyJWTError) -> UnauthenticatedError:
    code, message = next(_REFUSALS[cls] for cls in type(error).__mro__ if cls in _REFUSALS)
    return UnauthenticatedError(message, code=code)


def forge_of(issuer: str) -> str:
    """The address of the GitHub whose issuer this is; "" for one that is none of GitHub's.

    https://docs.github.com/actions/reference/security/oidc
    """
    found = _ISSUER.fullmatch(issuer)
    if found is None:
        return ""
    if found["server"]:
        return f"https://{found['server']}"
    return f"https://{found['tenant']}.ghe.com" if found["tenant"] else "https://github.com"


def _verified_payload(
    token: str, *, issuer: str, audience: str, keys: IssuerKeys
) -> dict[str, Any]:
    header = jwt.get_unverified_header(token)
    if header.get("alg") != _ALGORITHM:  # before anybody is asked for a key
        raise exceptions.InvalidAlgorithmError
    key = keys.key(header.get("kid", ""))
    if key is None:
        raise exceptions.InvalidKeyError
    return jwt.decode(
        token,
        key,
        algorithms=[_ALGORITHM],
        issuer=issuer,
        audience=audience,
        leeway=LEEWAY,
        options={
            "require": ["iss", "aud", "exp", "nbf", "iat", "jti"],
            "strict_aud": True,
            "verify_sub": False,
        },
    )


def _claims(payload: Mapping[str, Any]) -> Claims:
    told = {name: _text(payload, name) for name in _SHAPES}
    _time(payload, "nbf")
    workflow = payload.get("job_workflow_ref")
    return Claims(
        token_id=told["jti"],
        issued_at=_time(payload, "iat"),
        expires_at=_time(payload, "exp"),
        owner_id=_number(told, "repository_owner_id"),
        repository_id=_number(told, "repository_id"),
        repository=told["repository"],
        visibility=told["repository_visibility"],
        ref=told["ref"],
        commit_sha=told["sha"],
        event=told["event_name"],
        job_workflow_ref=workflow if isinstance(workflow, str) else "",
    )


def _text(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name)
    if value is None:
        raise _missing(name)
    if not isinstance(value, str) or not _SHAPES[name].fullmatch(value):
        raise _malformed(name)
    return value


def _number(told: Mapping[str, str], name: str) -> int:
    if int(told[name]) > MAX_ID:
        raise _malformed(name)
    return int(told[name])


def _time(payload: Mapping[str, Any], name: str) -> datetime:
    value = payload[name]
    if type(value) is not int or not 0 <= value <= _LATEST:
        raise _malformed(name)
    return datetime.fromtimestamp(value, UTC)


def _missing(name: str) -> UnauthenticatedError:
    return UnauthenticatedError(
        f"The id token has no claim '{name}'; send the one that GitHub gives the job, as it is.",
        code="oidc_claim_missing",
    )


def _malformed(name: str) -> UnauthenticatedError:
    return UnauthenticatedError(
        f"The id token's claim '{name}' is not written as GitHub writes it.", code="oidc_invalid"
    )
