"""Organisations, written and found."""

from collections.abc import Sequence
from dataclasses import replace

from django.conf import settings
from django.db import IntegrityError, transaction

from central.errors import ConflictError, InvalidError, NotFoundError, validating
from central.tenancy.audit import record
from central.tenancy.models import Organization, parse_organization_slug, validate_embedder
from indexer.embedding import open_embedder
from indexer.globs import check_branch_patterns
from indexer.records.vectors import EmbedderSpec

_CHECK_SECONDS = 20.0  # a service may have to load its model


def create_organization(
    *, slug: str, actor: str, github_owner_id: int | None = None, embedder: str | None = None
) -> Organization:
    """Create a tenant, by default with the settings' embedder, which is not contacted.

    Raises InvalidError for a bad slug or embedder, ConflictError if the slug is taken.
    """
    organization = Organization(
        slug=slug,
        github_owner_id=github_owner_id,
        embedder=settings.DEFAULT_EMBEDDER if embedder is None else embedder,
    )
    with validating():
        organization.clean_fields()
    try:
        with transaction.atomic():
            organization.save(force_insert=True)
            record(
                actor=actor,
                action="organization.created",
                target=slug,
                organization=slug,
                detail={"embedder": organization.embedder, "github_owner_id": github_owner_id},
            )
    except IntegrityError as exc:
        raise ConflictError(
            f"The slug '{slug}' or the GitHub owner id is taken.", code="organization_exists"
        ) from exc
    return organization


def organization_named(slug: str) -> Organization:
    """Return the organisation "acme" or "org-acme". Raises NotFoundError."""
    slug = parse_organization_slug(slug)
    organization = Organization.objects.filter(slug=slug).first()
    if organization is None:
        raise NotFoundError(
            f"There is no organisation '{slug}'; make it with create_organization.",
            code="organization_not_found",
        )
    return organization


def set_embedder(*, organization_slug: str, embedder: str, actor: str) -> int:
    """Change an organisation's embedder; each repository is re-embedded at its next run.

    Sends one request to validate the embedder. Returns how many repositories have vectors of
    another embedder, with which they are searched until then. Raises NotFoundError, InvalidError,
    and EmbeddingError if the embedder does not work; then nothing is changed.
    """
    organization = organization_named(organization_slug)
    require_embedder(embedder)
    _change(organization, "embedder", embedder, actor)
    indexed = organization.repositories.filter(generation__gt=0, retired_at=None)
    return indexed.exclude(embedder=embedder).count()


def require_embedder(embedder: str) -> None:
    """Send it one request. Raises InvalidError, and EmbeddingError if it does not work."""
    with validating():
        validate_embedder(embedder)
    access = replace(settings.EMBEDDER_ACCESS, timeout_seconds=_CHECK_SECONDS)
    open_embedder(EmbedderSpec.parse(embedder), access).check()


def set_direct_uploads(*, organization_slug: str, is_on: bool, actor: str) -> None:
    """Permit or refuse direct uploads of an organisation. Raises NotFoundError."""
    _change(organization_named(organization_slug), "direct_uploads", is_on, actor)


def set_models(organization: Organization, *, is_on: bool, actor: str) -> None:
    """Have an organisation's traces use the models of libraries, or not."""
    _change(organization, "uses_models", is_on, actor)


def set_branches(
    organization: Organization, *, patterns: Sequence[str], most: int, actor: str
) -> None:
    """Set which branches are indexed where .codesearch.toml names none, and how many may be.

    `most` counts those of a repository, with the default one. Branches that are no longer wanted
    are deleted by the nightly clean-up. Raises InvalidError.
    """
    changed = Organization(branches=list(dict.fromkeys(patterns)), branches_most=most)
    try:
        check_branch_patterns(changed.branches)
    except ValueError as exc:
        raise InvalidError(f"{exc}.") from exc
    with validating():
        kept = {field.name for field in Organization._meta.fields} - {"branches", "branches_most"}
        changed.clean_fields(exclude=kept)
    with transaction.atomic():
        _change(organization, "branches", changed.branches, actor)
        _change(organization, "branches_most", most, actor)


@transaction.atomic
def _change(
    organization: Organization, field: str, value: str | bool | int | list[str], actor: str
) -> None:
    """Save one field, not those of concurrent changes; skip an equal value."""
    before = getattr(organization, field)
    if before == value:
        return
    Organization.objects.filter(pk=organization.pk).update(**{field: value})
    record(
        actor=actor,
        action="organization.changed",
        target=organization.slug,
        organization=organization,
        detail={field: {"before": before, "after": value}},
    )
