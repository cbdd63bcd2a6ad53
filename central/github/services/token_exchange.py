"""The exchange of a job's id token for a short-lived API token."""

import hashlib
from datetime import timedelta

import structlog
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from central.corpus.branches.policy import branch_policy
from central.errors import ForbiddenError, UnauthenticatedError
from central.github.grants import Grant, Purpose, authorize_job
from central.github.key_sets import keys_of
from central.github.models import GitHubPolicy, IdTokenUse
from central.github.oidc import LEEWAY, Claims, verify_id_token
from central.repositories.models import Repository
from central.repositories.services import record_visibility
from central.repositories.statements import statement_of
from central.tenancy.models import ApiToken, Organization
from central.tenancy.services.tokens import issue_token
from central.tenancy.tokens import bind_to_job

# Beyond the leeway: how far the clocks of two processes of this service may differ.
_REMEMBERED_FOR = LEEWAY + timedelta(minutes=5)

_log = structlog.get_logger(__name__)


def exchange_id_token(*, token: str, purpose: Purpose) -> tuple[str, int]:
    """Return an API token for the job of the id token `token`, and its lifetime in seconds.

    An id token is accepted once. Raises UnauthenticatedError, ForbiddenError, UnavailableError,
    with the codes of docs/reference/github.md; then nothing has changed.
    """
    if not settings.PUBLIC_URL:
        raise ForbiddenError(
            "This service takes no id tokens: an administrator must set AETERNA_PUBLIC_URL, the "
            "audience that they are for. Until then, use an API token.",
            code="oidc_not_configured",
        )
    claims = verify_id_token(
        token,
        issuer=settings.GITHUB_OIDC_ISSUER,
        audience=settings.PUBLIC_URL,
        keys=keys_of(settings.GITHUB_OIDC_ISSUER),
    )
    with transaction.atomic():
        access_token, organization = _exchange(claims, purpose)
    _log.info(
        "id_token_exchanged",
        organization=organization.slug,
        repository=claims.repository,
        purpose=purpose.value,
        commit=claims.commit_sha,
    )
    return access_token, settings.KEYLESS_SECONDS


def _exchange(claims: Claims, purpose: Purpose) -> tuple[str, Organization]:
    policy = _policy_of(claims.owner_id)
    organization = policy.organization
    found = Repository.objects.filter(
        organization=organization, forge_key=claims.repository_id, retired_at__isnull=True
    )
    repository = found.select_related("organization").first()
    granted = authorize_job(
        purpose=purpose,
        claims=claims,
        policy=policy,
        tracked_ref=repository.tracked_ref or None if repository else None,
        branches=branch_policy(repository) if repository and repository.generation else None,
    )
    _require_there(organization, claims)
    _mark_used(claims)
    # Also without a row, and if nothing changes: an older message may come later.
    record_visibility(
        organization_id=organization.pk,
        forge_key=claims.repository_id,
        visibility=claims.visibility,
        at=claims.issued_at,
    )
    return issue_token(_api_token(organization, claims, granted)), organization


def _policy_of(owner_id: int) -> GitHubPolicy:
    policy = (
        GitHubPolicy.objects.select_related("organization")
        .filter(enabled=True, organization__github_owner_id=owner_id)
        .first()
    )
    if policy is None:
        raise ForbiddenError(
            f"No organisation here takes jobs of GitHub's owner {owner_id}. An administrator can "
            "switch it on: `manage.py github_policy --organization SLUG --owner-id "
            f"{owner_id} --enable`.",
            code="oidc_owner_unknown",
        )
    return policy


def _require_there(organization: Organization, claims: Claims) -> None:
    statement = statement_of(organization_id=organization.pk, forge_key=claims.repository_id)
    if statement and statement.removed_at and claims.issued_at <= statement.removed_at:
        raise ForbiddenError(
            "GitHub has said since that the repository was deleted or transferred away. If it is "
            "back, run the workflow again.",
            code="oidc_repository_removed",
        )


def _mark_used(claims: Claims) -> None:
    """Record the use; a concurrent exchange of the same token waits here for the first."""
    try:
        with transaction.atomic():
            IdTokenUse.objects.create(
                jti_digest=hashlib.sha256(claims.token_id.encode()).digest(),
                forget_at=claims.expires_at + _REMEMBERED_FOR,
            )
    except IntegrityError as exc:
        raise UnauthenticatedError(
            "The id token was used before; ask GitHub for another.", code="oidc_replayed"
        ) from exc


def _api_token(organization: Organization, claims: Claims, granted: Grant) -> ApiToken:
    token = ApiToken(
        organization=organization,
        name=claims.repository[-100:],
        scopes=[granted.scope],
        visibilities=None if granted.visibilities is None else sorted(granted.visibilities),
        expires_at=timezone.now() + timedelta(seconds=settings.KEYLESS_SECONDS),
        is_short_lived=True,
    )
    if granted.binding:
        bind_to_job(token, granted.binding)
    return token
