"""Identity tokens of GitHub's jobs: verification and claims."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
from jwt import exceptions

from central.errors import UnauthenticatedError
from central.github.key_sets import ALGORITHM, IssuerKeys
from indexer.forge.repositories import LARGEST_FORGE_ID

LEEWAY = timedelta(seconds=30)
_LATEST = 2**40  # seconds; a datetime can hold it
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
    """A job, as GitHub signed it. `ref` is a full name; `repository` includes the owner.

    `job_workflow_ref` is "" if GitHub sends none. `url` is the repository's page, "" if the server
    cannot be derived from the issuer.
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
    """Return the claims of a token that `issuer` signed for `audience` and for no other.

    Raises UnauthenticatedError with the codes of docs/reference/github.md, UnavailableError. No
    message repeats the token or a claim's value.
    """
    try:
        payload = _verified_payload(token, issuer=issuer, audience=audience, keys=keys)
    except exceptions.MissingRequiredClaimError as exc:
        raise _missing(exc.claim) from exc
    except (RecursionError, OverflowError) as exc:  # of unexpected JSON and numbers
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
    """Return the address of the GitHub server of an issuer; "" if the issuer is not GitHub's.

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
    if header.get("alg") != ALGORITHM:  # before the issuer is asked for a key
        raise exceptions.InvalidAlgorithmError
    key = keys.key(header.get("kid", ""))
    if key is None:
        raise exceptions.InvalidKeyError
    return jwt.decode(
        token,
        key,
        algorithms=[ALGORITHM],
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
    texts = {name: _text(payload, name) for name in _SHAPES}
    _time(payload, "nbf")
    workflow = payload.get("job_workflow_ref")
    return Claims(
        token_id=texts["jti"],
        issued_at=_time(payload, "iat"),
        expires_at=_time(payload, "exp"),
        owner_id=_number(texts, "repository_owner_id"),
        repository_id=_number(texts, "repository_id"),
        repository=texts["repository"],
        visibility=texts["repository_visibility"],
        ref=texts["ref"],
        commit_sha=texts["sha"],
        event=texts["event_name"],
        job_workflow_ref=workflow if isinstance(workflow, str) else "",
    )


def _text(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name)
    if value is None:
        raise _missing(name)
    if not isinstance(value, str) or not _SHAPES[name].fullmatch(value):
        raise _malformed(name)
    return value


def _number(texts: Mapping[str, str], name: str) -> int:
    if int(texts[name]) > LARGEST_FORGE_ID:
        raise _malformed(name)
    return int(texts[name])


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
