"""Tokens of programs, people and the local command line, written and found."""

from collections.abc import Collection
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from central.errors import ConflictError, InvalidError, NotFoundError
from central.tenancy.audit import record, user_actor
from central.tenancy.credentials import credential_of_member
from central.tenancy.models import ApiToken, Organization, Scope, parse_organization_slug
from central.tenancy.services.organizations import create_organization, organization_named
from central.tenancy.tokens import new_token, token_digest

if TYPE_CHECKING:
    from django.contrib.auth.models import User

ORGANIZATION_TOKENS: Final = 500  # of an organisation, valid, that are no person's and no job's
_PREFIX_LENGTH = 12
TOKEN_DAYS: Final = 36_500  # that one is valid at most
PERSONAL_TOKEN_DAYS: Final = 366
MAX_PERSONAL_TOKENS = 50  # that are taken at the same time
LOCAL_TOKEN_LIFETIME = timedelta(days=1)


def create_token(
    *,
    organization_slug: str,
    scopes: Collection[str],
    actor: str,
    repositories: Collection[str] | None = None,
    visibilities: Collection[str] | None = None,
    expires_days: int | None = None,
    name: str = "",
) -> str:
    """Create a token and return it; it is not stored and cannot be read later.

    `organization_slug` may be 'org-acme' too; `repositories` None permits every repository,
    `visibilities` None repositories of every visibility. Raises NotFoundError, InvalidError.
    """
    organization = organization_named(organization_slug)
    unknown = set(scopes) - set(Scope.values)
    if unknown or not scopes:
        raise InvalidError(f"Scopes are {', '.join(Scope.values)}; give at least one.")
    if expires_days is not None and not 1 <= expires_days <= TOKEN_DAYS:
        raise InvalidError(
            f"A token is valid for 1 to {TOKEN_DAYS} days, or, with no number given, until revoked."
        )
    return _issue(
        ApiToken(
            organization=organization,
            name=name,
            scopes=sorted(set(scopes)),
            repositories=None if repositories is None else sorted(set(repositories)),
            visibilities=None if visibilities is None else sorted(set(visibilities)),
            expires_at=_in(expires_days) if expires_days else None,
        ),
        actor,
    )


def create_organization_token(
    *,
    organization: Organization,
    scopes: Collection[str],
    name: str,
    repositories: Collection[str] | None,
    expires_days: int | None,
    actor: str,
) -> str:
    """Create a token of no person, as an admin does, and return it; it is not stored.

    Raises InvalidError, ConflictError (`too_many_tokens`).
    """
    _check_name(name)
    theirs = persistent_tokens(organization).filter(owner=None)
    if theirs.count() >= ORGANIZATION_TOKENS:
        raise ConflictError(
            f"{organization} has {ORGANIZATION_TOKENS} tokens already; revoke one that is no "
            "longer used.",
            code="too_many_tokens",
        )
    return create_token(
        organization_slug=organization.slug,
        scopes=scopes,
        actor=actor,
        repositories=repositories,
        expires_days=expires_days,
        name=name.strip(),
    )


def create_personal_token(
    *, owner: "User", organization_slug: str, scopes: Collection[str], name: str, expires_days: int
) -> str:
    """Create a token of a person with all of its permissions, and return it; it is not stored.

    The person's limits are not copied: they are read at each use. Raises NotFoundError,
    InvalidError, ConflictError (`too_many_tokens`).
    """
    allowed = credential_of_member(user=owner, slug=organization_slug)
    if not scopes or not set(scopes) <= allowed.scopes:
        raise InvalidError(
            f"Scopes that you may give in {organization_slug} are "
            f"{', '.join(sorted(allowed.scopes))}; choose at least one."
        )
    _check_name(name)
    if not 1 <= expires_days <= PERSONAL_TOKEN_DAYS:
        raise InvalidError(f"A personal token is valid for 1 to {PERSONAL_TOKEN_DAYS} days.")
    live = owner.api_tokens.filter(revoked_at=None, expires_at__gt=timezone.now())
    if live.count() >= MAX_PERSONAL_TOKENS:
        raise ConflictError(
            f"You have {MAX_PERSONAL_TOKENS} tokens already; revoke one that you no longer use.",
            code="too_many_tokens",
        )
    return _issue(
        ApiToken(
            organization=allowed.organization,
            owner=owner,
            name=name.strip(),
            scopes=sorted(set(scopes)),
            expires_at=_in(expires_days),
        ),
        user_actor(owner),
    )


def _check_name(name: str) -> None:
    if not name.strip() or not name.isprintable():
        raise InvalidError(
            "Say what the token is for, in plain characters, to know it again in the list."
        )


def create_local_token(*, organization_slug: str, actor: str) -> str:
    """Create a token for the local command line, and its organisation if needed.

    Raises InvalidError for a bad slug.
    """
    slug = parse_organization_slug(organization_slug)
    with suppress(ConflictError):  # it is there
        create_organization(slug=slug, actor=actor)
    return _issue(
        ApiToken(
            organization=organization_named(slug),
            name="this machine's command line",
            scopes=[Scope.INDEX, Scope.SEARCH],
            is_short_lived=True,
            is_local=True,
            expires_at=timezone.now() + LOCAL_TOKEN_LIFETIME,
        ),
        actor,
    )


def issue_token(unsaved: ApiToken) -> str:
    """Save the row with a new token and return the token, which is not stored."""
    token = new_token()
    unsaved.prefix, unsaved.digest = token[:_PREFIX_LENGTH], token_digest(token)
    unsaved.save(force_insert=True)
    return token


@transaction.atomic
def _issue(unsaved: ApiToken, actor: str) -> str:
    token = issue_token(unsaved)
    expires_at = unsaved.expires_at
    record(
        actor=actor,
        action="token.created",
        target=unsaved.label,
        organization=unsaved.organization,
        detail={
            "id": unsaved.pk,
            "scopes": unsaved.scopes,
            "repositories": unsaved.repositories,
            "visibilities": unsaved.visibilities,
            "expires_at": expires_at.isoformat(timespec="seconds") if expires_at else None,
            "owner": unsaved.owner.get_username() if unsaved.owner else None,
        },
    )
    return token


@transaction.atomic
def revoke_token(token: ApiToken, *, actor: str) -> bool:
    """Revoke a token from the next request on; False if it was revoked already."""
    revoked = ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(
        revoked_at=timezone.now()
    )
    if revoked:
        record(
            actor=actor,
            action="token.revoked",
            target=token.label,
            organization=token.organization,
            detail={"id": token.pk},
        )
    return bool(revoked)


def revoke_bound_tokens(*, organization_id: int, repository_id: int) -> None:
    """Revoke the tokens of jobs that are bound to a repository, by GitHub's id."""
    now = timezone.now()
    ApiToken.objects.filter(
        organization_id=organization_id,
        bound_repository_id=repository_id,
        is_short_lived=True,
        expires_at__gt=now,
        revoked_at=None,
    ).update(revoked_at=now)


def _in(days: int) -> datetime:
    return timezone.now() + timedelta(days=days)


def persistent_tokens(organization: Organization) -> QuerySet[ApiToken]:
    """Return the valid tokens that are no job's, newest first, with their owners."""
    is_live = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    tokens = ApiToken.objects.filter(
        is_live, organization=organization, revoked_at=None, is_short_lived=False
    )
    return tokens.select_related("owner")


def persistent_token(*, organization: Organization, token_id: int) -> ApiToken:
    """Return a valid token of the organisation that is no job's. Raises NotFoundError."""
    found = persistent_tokens(organization).select_related("organization").filter(pk=token_id)
    if (token := found.first()) is None:
        raise NotFoundError("There is no such valid token.", code="token_not_found")
    return token


def find_token(text: str) -> ApiToken:
    """Return the token with that number, or whose first twelve characters `text` begins with.

    Raises NotFoundError, InvalidError if several match.
    """
    which = Q(prefix=text[:_PREFIX_LENGTH])
    if text.isascii() and text.isdigit():
        which |= Q(pk=int(text[:18]))
    found = list(ApiToken.objects.filter(which).select_related("organization", "owner")[:2])
    if not found:
        raise NotFoundError(
            f"There is no token '{text[:_PREFIX_LENGTH]}'. Give its first {_PREFIX_LENGTH} "
            "characters or its number, as list_tokens says them.",
            code="token_not_found",
        )
    if len(found) > 1:
        numbers = " or ".join(str(token.pk) for token in found)
        raise InvalidError(f"Several tokens begin so: say which by its number, {numbers}.")
    return found[0]
