"""The opening of a run: its repository, the conditions of indexing, and the present index."""

from dataclasses import dataclass
from typing import Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from central.corpus.branches.policy import MOST_BRANCHES, branch_policy
from central.db import fetch_rows, sql
from central.errors import ConflictError, ForbiddenError, ThrottledError
from central.http.urls import is_below
from central.ingest.models import IndexRun
from central.ingest.selectors import busy_run
from central.ingest.services.access import check_direct_upload, check_oidc_binding, grant_access
from central.ingest.services.identity import RequestedRepository, repository_of, require_nameable
from central.ingest.services.salvage import salvage_uploads
from central.repositories.models import Branch, IndexedBy, IndexState, Repository
from central.repositories.services import hold_refs
from central.repositories.states import RunState
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization, validate_embedder
from indexer.records.refs import HEADS
from indexer.records.runs import UploadMode
from indexer.records.vectors import DirectUploadGrant

RUNS_OPEN_OF_REPOSITORY: Final = 50
RUNS_OPEN_OF_ORGANIZATION: Final = 1_000
_RETRY_SECONDS = 30
_TO_TRACK = (
    "Run on the tracked branch, let an administrator change it, or let `branches` in "
    ".codesearch.toml of the default branch name this one, too."
)
_HOLD: Final = sql(
    "SELECT id FROM {branch} WHERE repository_id = %s AND ref = %s::text FOR KEY SHARE",
    branch=Branch,
)
BACKFILL_EVENT = "backfill"  # of runs on clones of this service itself


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A client's request. `ref` is a full name, `default_branch` a short one or "".

    `repository_id` and `repository_url` count only with some credentials. `vectors`: direct if the
    client wants to write them to the store itself, with a secret of its own or without;
    `direct_refused`: it wanted to, and was refused.
    """

    project_id: str
    ref: str
    commit_sha: str
    extractor: str
    repository_id: int | None = None
    owner_id: int | None = None
    default_branch: str = ""
    event: str = ""
    run_url: str = ""
    repository_url: str = ""
    vectors: str = UploadMode.RELAY
    own_secret: bool = False
    direct_refused: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """A run and, in a direct run, the access to the vector store."""

    run: IndexRun
    access: DirectUploadGrant | None = None


def open_run(*, credential: Credential, request: RunRequest) -> Opened:
    """Open a run; the repository is created on its first. All or nothing. Not in a transaction.

    Raises NotFoundError (`repository_not_found`), ForbiddenError (`ref_not_tracked`,
    `owner_mismatch`, `repository_mismatch`, those of `check_oidc_binding`), ConflictError
    (`run_in_progress` with run_id, `repository_paused`, `embedder_invalid`,
    `direct_not_available`, `too_many_repositories`, `too_many_branches`), ThrottledError
    (`too_many_open_runs`), StoreUnavailableError.
    """
    check_oidc_binding(
        credential,
        project=request.project_id,
        repository_id=request.repository_id,
        ref=request.ref,
        commit_sha=request.commit_sha,
    )
    run = _open(credential, request)
    access = grant_access(run, has_store_secret=request.own_secret) if run.is_direct else None
    salvage_uploads(repository=run.repository)  # a repeated run asks for them at once
    return Opened(run, access)


@transaction.atomic
def _open(credential: Credential, request: RunRequest) -> IndexRun:
    # One Open of an organisation at a time: names and GitHub ids are matched and changed here.
    organization = Organization.objects.select_for_update(no_key=True).get(
        pk=credential.organization.pk
    )
    require_nameable(credential, request.project_id)
    _require_owner(organization, request)
    _require_embedder(organization)
    is_direct = request.vectors == UploadMode.DIRECT
    repository = repository_of(
        organization=organization,
        credential=credential,
        named=RequestedRepository(
            project=request.project_id,
            forge_key=request.repository_id,
            tracked_ref=_tracked_ref(request),
        ),
    )
    # Before branches are held: an apply and a deletion have the repository first, too.
    _update_address(credential, repository, request.repository_url)
    _note_workflow(repository, request.event)
    hold_refs(repository.pk)
    repository.refresh_from_db(fields=["tracked_ref"])
    branch = None
    if request.ref != repository.tracked_ref:
        branch = _other_branch(repository, request.ref)
    _require_idle(repository, branch)
    repository.refresh_from_db()  # a run that was applied since it was read is the base
    if branch is not None:
        branch.refresh_from_db()
    _require_few_open(repository)
    if is_direct:
        _check_direct(organization, branch, request)
    index: IndexState = branch or repository
    return IndexRun.objects.create(
        repository=repository,
        branch=branch,
        api_token_id=credential.api_token_id,
        ref=request.ref,
        commit_sha=request.commit_sha,
        base_commit=index.last_indexed_commit if branch is None or branch.is_indexed else "",
        generation=index.run_generation,
        extractor=request.extractor,
        embedder=organization.embedder,
        is_direct=is_direct,
        is_direct_refused=request.direct_refused,
        event=request.event,
        run_url=_trusted_job_url(credential, repository, request.run_url),
        touched_at=timezone.now(),
    )


def _other_branch(repository: Repository, ref: str) -> Branch:
    """Return a branch beside the default one; it is noted on its first run.

    Raises ForbiddenError (`ref_not_tracked`), ConflictError (`too_many_branches`).
    """
    fetch_rows(_HOLD, [repository.pk, ref])  # or it might be deleted before its run is there
    branch = Branch.objects.filter(repository=repository, ref=ref).first()
    policy = branch_policy(repository)
    if repository.generation == 0 or not policy.wants(ref):
        raise ForbiddenError(
            f"{ref} is not tracked; {repository.tracked_ref} is. {policy.problem or _TO_TRACK}",
            code="ref_not_tracked",
            tracked_ref=repository.tracked_ref,
        )
    if branch is not None:
        return branch
    numbers = set(repository.branch_set.values_list("number", flat=True))
    if len(numbers) + 1 >= policy.most:
        raise ConflictError(
            f"{policy.most} branches of this repository may be indexed, and no more. Delete one at "
            "its forge, let .codesearch.toml of the default branch name fewer, or let an "
            "administrator allow more.",
            code="too_many_branches",
        )
    return Branch.objects.create(
        repository=repository,
        ref=ref,
        number=next(number for number in range(1, MOST_BRANCHES) if number not in numbers),
        embedder=repository.embedder,
        default_generation=repository.generation,
    )


def _check_direct(organization: Organization, branch: Branch | None, request: RunRequest) -> None:
    check_direct_upload(organization, has_store_secret=request.own_secret)
    if branch is not None:
        raise ConflictError(
            "Vectors of branches beside the default one are sent to this service: "
            "AETERNA_VECTORS=relay.",
            code="direct_not_available",
        )


def _tracked_ref(request: RunRequest) -> str:
    branch = request.default_branch
    if branch and not branch.startswith("refs/"):
        branch = f"{HEADS}{branch}"
    return branch or request.ref


def _update_address(credential: Credential, repository: Repository, said: str) -> None:
    """Update the address that links lead to; that of a limited client does not count."""
    bound = credential.binding
    url = bound.url if bound else said if credential.is_of_whole_organization else ""
    if url and url != repository.web_url:
        repository.web_url = url
        repository.save(update_fields=["web_url"])


def _note_workflow(repository: Repository, event: str) -> None:
    """Leave later pushes to the repository's workflow, once one of its jobs has come."""
    is_workflow = event not in {"", BACKFILL_EVENT}
    if is_workflow and repository.indexed_by != IndexedBy.ACTION:
        repository.indexed_by = IndexedBy.ACTION
        repository.save(update_fields=["indexed_by"])


def _trusted_job_url(credential: Credential, repository: Repository, said: str) -> str:
    """Return the job's address; for a limited client only one below the repository's."""
    if credential.is_of_whole_organization or is_below(said, repository.web_url):
        return said
    return ""


def _require_owner(organization: Organization, request: RunRequest) -> None:
    known = organization.github_owner_id
    if known is not None and request.owner_id is not None and request.owner_id != known:
        raise ForbiddenError(
            f"The repository's owner on GitHub ({request.owner_id}) is not this organisation's.",
            code="owner_mismatch",
        )


def _require_embedder(organization: Organization) -> None:
    try:
        validate_embedder(organization.embedder)
    except ValidationError as exc:
        raise ConflictError(
            "The organisation's embedder is not provider/model/dimensions; an administrator must "
            "set it.",
            code="embedder_invalid",
        ) from exc


def _require_idle(repository: Repository, branch: Branch | None) -> None:
    if repository.paused:
        raise ConflictError(
            "Indexing of this repository is paused; an administrator can resume it.",
            code="repository_paused",
        )
    if run := busy_run(repository, branch):
        raise ConflictError(
            f"Run {run.pk} is {run.state}; wait for it, then open again.",
            code="run_in_progress",
            run_id=str(run.pk),
        )


def _require_few_open(repository: Repository) -> None:
    """Limit open runs, which wait an hour for their clients: a loop must not fill the table."""
    open_runs = IndexRun.objects.filter(
        state=RunState.OPEN, repository__organization=repository.organization_id
    )
    for runs, most, whose in (
        (open_runs.filter(repository=repository), RUNS_OPEN_OF_REPOSITORY, "repository"),
        (open_runs, RUNS_OPEN_OF_ORGANIZATION, "organisation"),
    ):
        # No refusal says how many there are: a limited client does not see all of them.
        if runs.count() >= most:
            raise ThrottledError(
                f"The {whose} has {most} open runs, and no more may be. Finish some, or give them "
                "up with DELETE /api/v1/index/runs/{id}.",
                retry_after=_RETRY_SECONDS,
                code="too_many_open_runs",
            )
