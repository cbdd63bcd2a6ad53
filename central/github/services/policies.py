"""Policies for GitHub's jobs, as administrators set them."""

from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from central.errors import ConflictError, InvalidError, NotFoundError
from central.github.models import GitHubPolicy
from central.tenancy.audit import record
from central.tenancy.models import Organization
from central.tenancy.services.organizations import organization_named
from indexer.forge.repositories import LARGEST_FORGE_ID

KEYLESS_PATTERNS: Final = 50  # of one list
PATTERNS = ("job_workflow_refs", "refs", "events")  # the lists of a policy


@transaction.atomic
def set_policy(
    *, organization_slug: str, actor: str, owner_id: int | None = None, **changes: Any
) -> GitHubPolicy:
    """Change the organisation's policy and return it; a new one is created disabled.

    `owner_id` is GitHub's; None keeps the organisation's. Raises NotFoundError, InvalidError,
    ConflictError (`github_owner_taken`).
    """
    organization = organization_named(organization_slug)
    if owner_id is not None:
        _set_owner(organization, owner_id)
    policy, _ = GitHubPolicy.objects.get_or_create(
        organization=organization, defaults={"enabled": False}
    )
    for name, value in changes.items():
        setattr(policy, name, value)
    try:
        policy.full_clean()
    except ValidationError as exc:
        why = [f"{name}: {' '.join(found)}" for name, found in exc.message_dict.items()]
        raise InvalidError(" ".join(why)) from exc
    policy.save()
    said = changes if owner_id is None else {**changes, "owner_id": owner_id}
    if said:
        record(
            actor=actor,
            action="github_policy.changed",
            target=organization.slug,
            organization=organization,
            detail=said,
        )
    return policy


@transaction.atomic
def renew_webhook_secret(organization: Organization, *, actor: str) -> Organization:
    """Replace the secret of the organisation's webhooks, and return it as it is then."""
    Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
    version = policy_of(organization).webhook_secret_version + 1
    changes: dict[str, Any] = {"webhook_secret_version": version}
    return set_policy(organization_slug=organization.slug, actor=actor, **changes).organization


@transaction.atomic
def add_pattern(
    *, organization: Organization, patterns: str, pattern: str, actor: str
) -> GitHubPolicy:
    """Add to one of PATTERNS. Raises InvalidError, ConflictError (`too_many_patterns`)."""
    present = _locked_patterns(organization, patterns)
    if pattern in present:
        return set_policy(organization_slug=organization.slug, actor=actor)
    if len(present) >= KEYLESS_PATTERNS:
        raise ConflictError(
            f"There are {KEYLESS_PATTERNS} already; remove one that is not needed.",
            code="too_many_patterns",
        )
    changes: dict[str, Any] = {patterns: [*present, pattern]}
    return set_policy(organization_slug=organization.slug, actor=actor, **changes)


@transaction.atomic
def remove_pattern(
    *, organization: Organization, patterns: str, pattern: str, actor: str
) -> GitHubPolicy:
    """Remove from one of PATTERNS. Raises InvalidError, NotFoundError (`pattern_not_found`)."""
    present = _locked_patterns(organization, patterns)
    if pattern not in present:
        raise NotFoundError("The policy has no such entry.", code="pattern_not_found")
    changes: dict[str, Any] = {patterns: [kept for kept in present if kept != pattern]}
    return set_policy(organization_slug=organization.slug, actor=actor, **changes)


def policy_of(organization: Organization) -> GitHubPolicy:
    """Return the organisation's policy; one that is off, and not stored, without any."""
    found = GitHubPolicy.objects.filter(organization=organization).first()
    return found or GitHubPolicy(organization=organization, enabled=False)


def _locked_patterns(organization: Organization, patterns: str) -> list[str]:
    """Return a list of the policy, which nothing else changes until the transaction ends."""
    if patterns not in PATTERNS:
        raise InvalidError(f"There is no such list; there are {', '.join(PATTERNS)}.")
    Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
    return list(getattr(policy_of(organization), patterns))


def _set_owner(organization: Organization, owner_id: int) -> None:
    if not 1 <= owner_id <= LARGEST_FORGE_ID:
        raise InvalidError("GitHub's id of an owner is a number above 0.")
    organization.github_owner_id = owner_id
    try:
        with transaction.atomic():
            organization.save(update_fields=["github_owner_id"])
    except IntegrityError as exc:
        raise ConflictError(
            f"GitHub's owner {owner_id} is another organisation's.", code="github_owner_taken"
        ) from exc
