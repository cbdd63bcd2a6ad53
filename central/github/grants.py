"""The permissions of a job's credential: claims and policy in, a grant or a refusal out.

Pure: reads neither the database nor the clock.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

from central.corpus.branches.policy import BranchPolicy
from central.errors import ForbiddenError
from central.github.models import NEVER_ALLOWED_EVENTS, GitHubPolicy
from central.github.oidc import Claims
from central.tenancy.credentials import Binding
from central.tenancy.models import Scope
from indexer.records.refs import HEADS

IMPACT_EVENT = "pull_request"
# Visible to a job are repositories whose audience includes the readers of the job's summary.
_VISIBLE_FROM: Mapping[str, frozenset[str]] = {
    "public": frozenset({"public"}),
    "internal": frozenset({"public", "internal"}),
    "private": frozenset({"public", "internal", "private"}),
}


class Purpose(StrEnum):
    """The purpose for which a job asks for a credential."""

    INDEX = "index"
    IMPACT = "impact"


@dataclass(frozen=True, slots=True)
class Grant:
    """The permissions of a job's credential; as in Credential, None does not limit."""

    scope: Scope
    binding: Binding | None = None
    visibilities: frozenset[str] | None = None


def authorize_job(
    *,
    purpose: Purpose,
    claims: Claims,
    policy: GitHubPolicy,
    tracked_ref: str | None,
    branches: BranchPolicy | None = None,
) -> Grant:
    """Return what `policy` permits the job; `tracked_ref` is None before the first run.

    `branches` are those that are indexed beside the tracked one; None: no others are. The policy
    must be enabled and of the organisation that has the job's owner. Raises
    ForbiddenError (`oidc_event_refused`, `oidc_ref_refused`, `oidc_workflow_refused`,
    `oidc_impact_off`).
    """
    _require_workflow(claims, policy)
    if purpose is Purpose.IMPACT:
        return _grant_impact(claims, policy)
    _require_event(claims, policy.events)
    _require_ref(claims, policy, tracked_ref, branches)
    return Grant(
        scope=Scope.INDEX,
        binding=Binding(
            repository_id=claims.repository_id,
            project=claims.project,
            visibility=claims.visibility,
            ref=claims.ref,
            commit_sha=claims.commit_sha,
            url=claims.url,
            signed_at=claims.issued_at,
        ),
    )


def _grant_impact(claims: Claims, policy: GitHubPolicy) -> Grant:
    if not policy.impact:
        raise ForbiddenError(
            "Jobs of pull requests may not search here; an administrator can switch it on with "
            "`manage.py github_policy --impact`.",
            code="oidc_impact_off",
        )
    _require_event(claims, [IMPACT_EVENT])
    return Grant(scope=Scope.SEARCH, visibilities=_VISIBLE_FROM[claims.visibility])


def _require_event(claims: Claims, allowed: Iterable[str]) -> None:
    allowed = set(allowed) - NEVER_ALLOWED_EVENTS
    if claims.event not in allowed:
        raise ForbiddenError(
            f"A job of the event '{claims.event}' may not; run the workflow on "
            f"{', '.join(sorted(allowed)) or 'none: the policy allows no event'}.",
            code="oidc_event_refused",
        )


def _require_ref(
    claims: Claims,
    policy: GitHubPolicy,
    tracked_ref: str | None,
    branches: BranchPolicy | None,
) -> None:
    if not claims.ref.startswith(HEADS):
        raise _ref_refused(f"{claims.ref} is no branch; run the workflow on one.")
    if tracked_ref not in (None, claims.ref) and not (branches and branches.wants(claims.ref)):
        why = (branches and branches.problem) or (
            "Run the workflow on the tracked branch, let an administrator change it, or let "
            "`branches` in .codesearch.toml of the default branch name this one, too."
        )
        raise _ref_refused(f"{claims.ref} is not tracked; {tracked_ref} is. {why}")
    if policy.refs and not _fits(claims.ref, policy.refs):
        raise _ref_refused(
            f"The organisation's policy indexes {', '.join(policy.refs)}, not {claims.ref}. Run "
            "the workflow on such a branch, or let an administrator change the policy."
        )


def _ref_refused(message: str) -> ForbiddenError:
    return ForbiddenError(message, code="oidc_ref_refused")


def _require_workflow(claims: Claims, policy: GitHubPolicy) -> None:
    patterns = policy.job_workflow_refs
    if patterns and not _fits_workflow(claims.job_workflow_ref, patterns):
        raise ForbiddenError(
            f"The organisation's policy takes jobs of {', '.join(patterns)} only. Call that "
            "workflow, at that ref, or let an administrator change the policy.",
            code="oidc_workflow_refused",
        )


def _fits_workflow(name: str, patterns: Iterable[str]) -> bool:
    """Match path and ref separately: "*" in a path must not reach a branch called "x@main"."""
    path, _, ref = name.partition("@")
    parts = (pattern.partition("@") for pattern in patterns)
    return any(
        fnmatchcase(path, of_path) and fnmatchcase(ref, of_ref) for of_path, _, of_ref in parts
    )


def _fits(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
