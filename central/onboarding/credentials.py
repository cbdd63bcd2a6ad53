"""Credentials at the forge: an App's installation, limited to what is asked for, or a token.

https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jwt
from django.conf import settings

from central.errors import ConflictError, ForbiddenError, InvalidError
from central.onboarding.addresses import CloneAddress, parse_address
from central.onboarding.clones import GitAccess
from central.onboarding.models import Authority, BackfillRepository
from central.settings.backfill import BackfillSettings
from indexer.errors import ForgeError
from indexer.forge.api import GitHubApi
from indexer.forge.repositories import (
    ForgeRepository,
    Owner,
    find_owner,
    list_installed,
    list_repositories,
    read_owner,
)

_JWT_SECONDS = 540  # GitHub accepts ten minutes
_CLOCK_SECONDS = 60  # that GitHub's clock may be behind
_READ = {"contents": "read", "metadata": "read"}
_USER = "x-access-token"
_OF_OPERATOR = frozenset({"ssh", "file"})  # opened by the operator's key, or on its disk


def has_app() -> bool:
    """Whether the operator has configured a GitHub App."""
    configured: BackfillSettings = settings.BACKFILL
    return bool(configured.app_id and configured.app_private_key)


def require_github() -> None:
    """Raise ConflictError (`github_credential_missing`) without any credential for GitHub."""
    if not has_app() and not settings.BACKFILL.github_token:
        raise ConflictError(
            "This service has no credential for GitHub. Its operator sets GITHUB_APP_ID and "
            "GITHUB_APP_PRIVATE_KEY, or AETERNA_GITHUB_TOKEN.",
            code="github_credential_missing",
        )


@contextmanager
def owner_api(login: str) -> Iterator[tuple[GitHubApi, Owner]]:
    """Yield an API that may list the owner's repositories, and the owner. Raises ForgeError."""
    if not has_app():
        with _api(settings.BACKFILL.github_token) as api:
            yield api, find_owner(api, login)
        return
    installation = _installation_of(login)
    owner = read_owner(installation.get("account"))
    with _api(_installation_token(installation["id"])) as api:
        yield api, owner


def owners_repositories(api: GitHubApi, owner: Owner) -> Iterator[ForgeRepository]:
    """Yield the repositories of `owner_api`'s owner. Raises ForgeError."""
    if has_app():
        return list_installed(api, owner.id)
    return list_repositories(api, owner)


@contextmanager
def repository_api(login: str, repository_id: int) -> Iterator[tuple[GitHubApi, str]]:
    """Yield an API, and its token, for one repository: of an App, the token reads only that."""
    if not has_app():
        with _api(settings.BACKFILL.github_token) as api:
            yield api, settings.BACKFILL.github_token
        return
    installation = _installation_of(login)
    token = _installation_token(installation["id"], repository_id=repository_id)
    with _api(token) as api:
        yield api, token


def github_access(token: str) -> GitAccess:
    """Return git's credential for GitHub."""
    return GitAccess(_USER, token)


def needs_operator(address: CloneAddress) -> bool:
    """Whether a credential, a key or a directory of the operator's opens an address."""
    return address.scheme in _OF_OPERATOR or address.host_key in settings.BACKFILL.tokens


def host_access(row: BackfillRepository) -> GitAccess:
    """Return the operator's credential for an address's host, if there is one.

    Nothing of the operator's is used for an address that an organisation's member named: neither a
    credential (the clone goes on without one), nor a key or a directory (ForbiddenError).
    """
    address = parse_address(row.url, settings.BACKFILL)
    if not row.backfill.may_use_credentials:
        if address.scheme in _OF_OPERATOR:
            raise ForbiddenError(_ask_operator(row), code="git_credential_refused")
        return GitAccess()
    user, _, password = settings.BACKFILL.tokens.get(address.host_key, "").partition(":")
    may_authenticate = address.scheme == "https" or address.is_local
    return GitAccess(user, password) if may_authenticate else GitAccess()


def missing_authority(row: BackfillRepository) -> str | None:
    """Return what to do if an address needs what its backfill may not use; else None."""
    if row.backfill.authority != Authority.NONE:
        return None
    try:
        address = parse_address(row.url, settings.BACKFILL)
    except InvalidError:  # its host is not allowed any more, which its next attempt says
        return None
    return _ask_operator(row) if needs_operator(address) else None


def _ask_operator(row: BackfillRepository) -> str:
    return (
        "It is cloned without the operator's credentials, keys and directories, which serve only "
        "addresses that the operator's command named. If it needs them, the operator runs "
        f"`manage.py backfill {row.organization.slug} --url {row.url}`."
    )


def _api(token: str) -> GitHubApi:
    return GitHubApi(url=settings.BACKFILL.github_api_url, token=token)


def _installation_of(login: str) -> dict[str, Any]:
    """Return the App's installation for an owner. Raises ForgeError."""
    with _api(_app_token()) as api:
        found = api.find(f"orgs/{login}/installation") or api.find(f"users/{login}/installation")
    if not isinstance(found, dict) or type(found.get("id")) is not int:
        raise ForgeError(
            f"The GitHub App is not installed for {login}. Install it there, with read access to "
            "contents.",
            status=404,
        )
    return found


def _installation_token(installation_id: int, *, repository_id: int | None = None) -> str:
    body: dict[str, Any] = {"permissions": _READ}
    if repository_id is not None:
        body["repository_ids"] = [repository_id]
    with _api(_app_token()) as api:
        granted = api.send("POST", f"app/installations/{installation_id}/access_tokens", body)
    token = granted.get("token") if isinstance(granted, dict) else None
    if not isinstance(token, str) or not token.isascii() or not token.isprintable():
        raise ForgeError("GitHub gave no token for the App's installation.")
    return token


def _app_token() -> str:
    now = int(time.time())
    claims = {
        "iat": now - _CLOCK_SECONDS,
        "exp": now + _JWT_SECONDS,
        "iss": settings.BACKFILL.app_id,
    }
    try:
        return jwt.encode(claims, settings.BACKFILL.app_private_key, algorithm="RS256")
    except (ValueError, TypeError, jwt.InvalidKeyError) as exc:
        raise ForgeError("GITHUB_APP_PRIVATE_KEY is no private key in PEM form.") from exc
