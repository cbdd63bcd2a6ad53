"""Policies for GitHub's jobs, as administrators set them."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from central.errors import ConflictError, InvalidError
from central.github.models import GitHubPolicy
from central.github.oidc import MAX_ID
from central.tenancy.audit import record
from central.tenancy.models import Organization
from central.tenancy.services.organizations import organization_named


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


def _set_owner(organization: Organization, owner_id: int) -> None:
    if not 1 <= owner_id <= MAX_ID:
        raise InvalidError("GitHub's id of an owner is a number above 0.")
    organization.github_owner_id = owner_id
    try:
        with transaction.atomic():
            organization.save(update_fields=["github_owner_id"])
    except IntegrityError as exc:
        raise ConflictError(
            f"GitHub's owner {owner_id} is another organisation's.", code="github_owner_taken"
        ) from exc
