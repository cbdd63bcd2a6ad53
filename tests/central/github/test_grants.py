"""What a policy gives a job: no database, no network."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from central.corpus.branches.policy import BranchPolicy
from central.errors import ForbiddenError
from central.github.grants import Grant, Purpose, authorize_job
from central.github.models import GitHubPolicy
from central.github.oidc import Claims
from central.tenancy.credentials import Binding
from central.tenancy.models import Scope

PUSH = Claims(
    token_id="1",
    issued_at=datetime(2026, 11, 21, 23, 55, tzinfo=UTC),
    expires_at=datetime(2026, 11, 22, tzinfo=UTC),
    owner_id=9919,
    repository_id=74001,
    repository="acme/shop",
    visibility="internal",
    ref="refs/heads/main",
    commit_sha="a" * 40,
    event="push",
    job_workflow_ref="acme/.github/.github/workflows/code-index.yml@refs/heads/main",
    url="https://github.com/acme/shop",
)
PULL_REQUEST = replace(PUSH, event="pull_request", ref="refs/pull/7/merge")


def granted(
    claims: Claims = PUSH,
    policy: GitHubPolicy | None = None,
    *,
    purpose: Purpose = Purpose.INDEX,
    tracked_ref: str | None = "refs/heads/main",
    branches: BranchPolicy | None = None,
) -> Grant:
    return authorize_job(
        purpose=purpose,
        claims=claims,
        policy=policy or GitHubPolicy(),
        tracked_ref=tracked_ref,
        branches=branches,
    )


def refusal(*args: Claims | GitHubPolicy, **kwargs: object) -> str:
    with pytest.raises(ForbiddenError) as caught:
        granted(*args, **kwargs)  # type: ignore[arg-type]
    return caught.value.code


def test_a_push_to_the_tracked_branch_may_index_its_commit() -> None:
    bound = Binding(
        74001,
        "shop",
        "internal",
        "refs/heads/main",
        "a" * 40,
        url="https://github.com/acme/shop",
        signed_at=PUSH.issued_at,
    )
    assert granted() == Grant(scope=Scope.INDEX, binding=bound)


@pytest.mark.parametrize("event", ["push", "workflow_dispatch", "schedule"])
def test_the_default_policy_takes_what_runs_on_a_branch(event: str) -> None:
    assert granted(replace(PUSH, event=event)).binding


@pytest.mark.parametrize("event", ["pull_request", "pull_request_target", "workflow_run", "delete"])
def test_other_events_may_not_index(event: str) -> None:
    assert refusal(replace(PUSH, event=event)) == "oidc_event_refused"


def test_a_policy_may_name_other_events_but_never_pull_request_target() -> None:
    policy = GitHubPolicy(events=["merge_group", "pull_request_target"])
    assert granted(replace(PUSH, event="merge_group"), policy).binding
    assert refusal(PUSH, policy) == "oidc_event_refused"
    assert refusal(replace(PUSH, event="pull_request_target"), policy) == "oidc_event_refused"
    assert refusal(PUSH, GitHubPolicy(events=[])) == "oidc_event_refused"


def test_another_branch_than_the_tracked_one_is_refused() -> None:
    assert refusal(tracked_ref="refs/heads/trunk") == "oidc_ref_refused"


@pytest.mark.parametrize("ref", ["refs/tags/v1", "refs/pull/7/merge", "refs/heads"])
def test_what_is_no_branch_is_refused_before_the_first_run_too(ref: str) -> None:
    claims = replace(PUSH, ref=ref)
    assert refusal(claims, tracked_ref=None) == "oidc_ref_refused"
    assert refusal(claims, tracked_ref=ref) == "oidc_ref_refused"


def test_before_the_first_run_the_policy_s_patterns_decide() -> None:
    assert granted(replace(PUSH, ref="refs/heads/any/thing"), tracked_ref=None).binding
    policy = GitHubPolicy(refs=["refs/heads/main", "refs/heads/release/*"])
    for ref in ("refs/heads/main", "refs/heads/release/1"):
        assert granted(replace(PUSH, ref=ref), policy, tracked_ref=None).binding
    for ref in ("refs/heads/Main", "refs/heads/mainly", "refs/heads/feature"):
        assert refusal(replace(PUSH, ref=ref), policy, tracked_ref=None) == "oidc_ref_refused"


def test_a_tracked_branch_must_fit_the_patterns_as_well() -> None:
    """Who may change a repository's default branch cannot widen the organisation's policy."""
    assert refusal(PUSH, GitHubPolicy(refs=["refs/heads/trunk"])) == "oidc_ref_refused"


def test_the_workflow_may_be_prescribed() -> None:
    policy = GitHubPolicy(
        impact=True, job_workflow_refs=["acme/.github/.github/workflows/*@refs/heads/main"]
    )
    for purpose, claims in ((Purpose.INDEX, PUSH), (Purpose.IMPACT, PULL_REQUEST)):
        assert granted(claims, policy, purpose=purpose)
        for other in (
            "",
            "acme/shop/.github/workflows/code-index.yml@refs/heads/main",
            "acme/.github/.github/workflows/code-index.yml@refs/heads/feature",
            # "@" may be in a branch's name.
            "acme/.github/.github/workflows/code-index.yml@refs/heads/x@refs/heads/main",
        ):
            changed = replace(claims, job_workflow_ref=other)
            assert refusal(changed, policy, purpose=purpose) == "oidc_workflow_refused"


@pytest.mark.parametrize(
    ("visibility", "visible"),
    [
        ("public", {"public"}),
        ("internal", {"public", "internal"}),
        ("private", {"public", "internal", "private"}),
    ],
)
def test_a_pull_request_sees_what_the_readers_of_its_summary_may(
    visibility: str, visible: set[str]
) -> None:
    claims = replace(PULL_REQUEST, visibility=visibility)
    found = granted(claims, GitHubPolicy(impact=True), purpose=Purpose.IMPACT)
    assert found == Grant(scope=Scope.SEARCH, visibilities=frozenset(visible))


def test_pull_requests_see_nothing_unless_the_policy_says_so() -> None:
    assert refusal(PULL_REQUEST, purpose=Purpose.IMPACT) == "oidc_impact_off"


@pytest.mark.parametrize("event", ["push", "pull_request_target", "workflow_run"])
def test_impact_is_for_pull_requests_alone(event: str) -> None:
    claims = replace(PULL_REQUEST, event=event)
    code = refusal(claims, GitHubPolicy(impact=True), purpose=Purpose.IMPACT)
    assert code == "oidc_event_refused"


def test_branches_of_the_repository_s_policy_are_granted_and_no_others() -> None:
    branches = BranchPolicy(["release/*"], 16)
    release = replace(PUSH, ref="refs/heads/release/1")
    binding = granted(release, branches=branches).binding
    assert binding is not None
    assert binding.ref == "refs/heads/release/1"
    for ref in ("refs/heads/release", "refs/heads/release/1/2", "refs/tags/release/1"):
        assert refusal(replace(PUSH, ref=ref), branches=branches) == "oidc_ref_refused"
    assert refusal(release, branches=BranchPolicy(["release/*"], 1)) == "oidc_ref_refused"
    keyless = GitHubPolicy(refs=["refs/heads/main"])
    assert refusal(release, keyless, branches=branches) == "oidc_ref_refused"
    for event in ("pull_request", "pull_request_target"):
        assert refusal(replace(release, event=event), branches=branches) == "oidc_event_refused"
