"""Writing organisations and tokens."""

from collections.abc import Collection
from contextlib import suppress
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from central.common.errors import ConflictError, InvalidError, NotFoundError
from central.tenancy.models import ApiToken, Organization, Scope
from central.tenancy.tokens import new_token, token_digest

MAX_DAYS = 36_500
LOCAL_TOKEN_LIFETIME = timedelta(days=1)


def create_organization(*, slug: str, github_owner_id: int | None = None) -> Organization:
    """A new tenant. Raises InvalidError for a bad slug, ConflictError if it is taken."""
    organization = Organization(slug=slug, github_owner_id=github_owner_id)
    try:
        organization.clean_fields()
    except ValidationError as exc:
        raise InvalidError(" ".join(exc.messages)) from exc
    try:
        with transaction.atomic():
            organization.save(force_insert=True)
    except IntegrityError as exc:
        raise ConflictError(
            f"The slug '{slug}' or the GitHub owner id is taken.", code="organization_exists"
        ) from exc
    return organization


def organization_named(slug: str) -> Organization:
    """The organisation of that slug, which may be written 'org-acme' too. Raises NotFoundError."""
    slug = slug.removeprefix("org-")
    organization = Organization.objects.filter(slug=slug).first()
    if organization is None:
        raise NotFoundError(
            f"There is no organisation '{slug}'; make it with create_organization.",
            code="organization_not_found",
        )
    return organization


def create_token(
    *,
    organization_slug: str,
    scopes: Collection[str],
    repositories: Collection[str] | None = None,
    expires_days: int | None = None,
    name: str = "",
) -> str:
    """Make a token and return it: it is not kept, so this is the only time it is seen.

    `organization_slug` may be written 'org-acme' too; `repositories` None gives it every
    repository. Raises NotFoundError, InvalidError.
    """
    organization = organization_named(organization_slug)
    unknown = set(scopes) - set(Scope.values)
    if unknown or not scopes:
        raise InvalidError(f"Scopes are {', '.join(Scope.values)}; give at least one.")
    if expires_days is not None and not 1 <= expires_days <= MAX_DAYS:
        raise InvalidError(
            f"A token is valid for 1 to {MAX_DAYS} days, or, with no number given, until revoked."
        )
    return issue_token(
        ApiToken(
            organization=organization,
            name=name,
            scopes=sorted(set(scopes)),
            repositories=None if repositories is None else sorted(set(repositories)),
            expires_at=timezone.now() + timedelta(days=expires_days) if expires_days else None,
        )
    )


def create_local_token(*, organization_slug: str) -> str:
    """A token for this machine's command line, in an organisation that is made if there is none.

    Raises InvalidError for a bad slug.
    """
    slug = organization_slug.removeprefix("org-")
    with suppress(ConflictError):  # it is there
        create_organization(slug=slug)
    return issue_token(
        ApiToken(
            organization=organization_named(slug),
            name="this machine's command line",
            scopes=[Scope.INDEX, Scope.SEARCH],
            is_short_lived=True,
            expires_at=timezone.now() + LOCAL_TOKEN_LIFETIME,
        )
    )


def issue_token(unsaved: ApiToken) -> str:
    """Give it a new token, save it and return that, which is not kept."""
    token = new_token()
    unsaved.prefix, unsaved.digest = token[:12], token_digest(token)
    unsaved.save(force_insert=True)
    return token


def revoke_bound_tokens(*, organization_id: int, repository_id: int) -> None:
    """Take back what jobs of a repository, by GitHub's id, were given to index it."""
    now = timezone.now()
    ApiToken.objects.filter(
        organization_id=organization_id,
        bound_repository_id=repository_id,
        is_short_lived=True,
        expires_at__gt=now,
        revoked_at=None,
    ).update(revoked_at=now)
