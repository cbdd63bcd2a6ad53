"""Writing organisations and tokens."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from central.common.errors import ConflictError, InvalidError, NotFoundError
from central.tenancy.models import ApiToken, Organization, Scope, validate_embedder
from central.tenancy.tokens import new_token, token_digest
from indexer.embedding import open_embedder
from indexer.records import EmbedderSpec

MAX_DAYS = 36_500
LOCAL_TOKEN_LIFETIME = timedelta(days=1)
_CHECK_SECONDS = 20.0  # a service may have to load its model


def create_organization(
    *, slug: str, github_owner_id: int | None = None, embedder: str | None = None
) -> Organization:
    """A new tenant, with the settings' embedder if none is named; that is not asked for anything.

    Raises InvalidError for a bad slug or embedder, ConflictError if the slug is taken.
    """
    organization = Organization(
        slug=slug,
        github_owner_id=github_owner_id,
        embedder=settings.DEFAULT_EMBEDDER if embedder is None else embedder,
    )
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


def set_embedder(*, organization_slug: str, embedder: str) -> int:
    """Have an organisation's repositories indexed with another embedder, each at its next run.

    One request sees that it answers, and with what it should. Answers how many repositories have
    vectors of another embedder, with which they are searched until then. Raises NotFoundError,
    InvalidError, and EmbeddingError where nothing was changed because it does not serve.
    """
    organization = organization_named(organization_slug)
    try:
        validate_embedder(embedder)
    except ValidationError as exc:
        raise InvalidError(" ".join(exc.messages)) from exc
    access = replace(settings.EMBEDDER_ACCESS, timeout_seconds=_CHECK_SECONDS)
    open_embedder(EmbedderSpec.parse(embedder), access).check()
    Organization.objects.filter(pk=organization.pk).update(embedder=embedder)
    indexed = organization.repositories.filter(generation__gt=0, retired_at=None)
    return indexed.exclude(embedder=embedder).count()


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
