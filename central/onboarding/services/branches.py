"""Branches beside the default one of repositories that this service clones."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import structlog

from central.corpus.branch_lifecycle import delete_branch
from central.corpus.branches.policy import branch_policy
from central.errors import ConflictError
from central.onboarding.clones import Clone, EmptyRepositoryError
from central.onboarding.heads import Heads
from central.onboarding.processes import ChildError, Limits, QuotaError
from central.repositories.models import Branch, Repository
from central.tenancy.audit import SERVICE, record
from indexer.output.terminal import first_names
from indexer.records.refs import short_name

_OF_BRANCHES: Final = "branches"

_log = structlog.get_logger(__name__)


class WantedBranches(NamedTuple):
    """Commits of branches to be indexed by full name; the names that are over the limit.

    The newest come first.
    """

    chosen: Mapping[str, str]
    left_out: Sequence[str]
    problem: str = ""


def wanted_branches(repository: Repository, heads: Heads) -> WantedBranches:
    """Choose what the policy wants of what there is, and delete stored branches that are not it.

    If the policy cannot be read, only what the forge no longer has is deleted.
    """
    policy, present = branch_policy(repository), heads.all()
    if not present:  # every repository with an index has a branch: this list is wrong
        return WantedBranches({}, (), "The forge lists no branch.")
    wanted = {
        ref: commit
        for ref, commit in present.items()
        if ref != repository.tracked_ref and policy.wants(ref)
    }
    room = policy.most - 1
    ordered = heads.newest_first(wanted) if len(wanted) > room else sorted(wanted)
    kept = set(present) if policy.problem else set(ordered[:room])
    for branch in repository.branch_set.exclude(ref__in=kept):
        remove_branch(repository, branch, why="gone" if branch.ref not in present else "not wanted")
    chosen = {ref: wanted[ref] for ref in ordered[:room]}
    return WantedBranches(chosen, ordered[room:], policy.problem)


def remove_branch(repository: Repository, branch: Branch, *, why: str) -> None:
    """Delete a branch, with an audit entry."""
    delete_branch(branch)
    record(
        actor=SERVICE,
        action="branch.deleted",
        target=repository.name,
        organization=repository.organization,
        detail={"ref": branch.ref, "why": why},
    )


def index_branches(
    repository: Repository,
    heads: Heads,
    limits: Limits,
    *,
    fetch: Callable[[str, Limits], Clone],
    index: Callable[[Clone, Limits], None],
) -> str:
    """Index the wanted branches one by one; returns what is to be said of those that are not.

    `fetch` clones a branch of this short name into the directory of the limits, `index` runs the
    indexer on a clone. What fails of a branch ends neither the others nor the repository's work.
    """
    try:
        wanted = wanted_branches(repository, heads)
    except ChildError as exc:
        return f"Its branches are not known: {exc}"
    said = [wanted.problem] if wanted.problem else []
    if wanted.left_out:
        names = first_names([short_name(ref) for ref in wanted.left_out])
        said.append(f"Not indexed, because there is room for {len(wanted.chosen)}: {names}.")
    directory = limits.directory / _OF_BRANCHES
    for ref, commit in wanted.chosen.items():
        if _is_current(repository, ref, commit):
            continue
        directory.mkdir(mode=0o700)
        own = replace(limits, directory=directory)
        try:
            index(fetch(short_name(ref), own), own)
        except (ChildError, QuotaError, EmptyRepositoryError, ConflictError) as exc:
            _log.warning("backfill_branch_failed", repository=str(repository), error=str(exc))
            said.append(f"{short_name(ref)}: {exc}")
        finally:
            shutil.rmtree(directory, ignore_errors=True)
    return " ".join(said)


def _is_current(repository: Repository, ref: str, commit: str) -> bool:
    return repository.branch_set.filter(
        ref=ref,
        last_indexed_commit=commit,
        generation__gt=0,
        default_generation=repository.generation,
        extractor=repository.extractor,
        embedder=repository.organization.embedder,
    ).exists()


def prune_unwanted() -> int:
    """Delete branches that the policies no longer want; return how many."""
    count = 0
    repositories = Repository.objects.filter(retired_at=None, branch_set__isnull=False)
    for repository in repositories.select_related("organization").distinct():
        policy = branch_policy(repository)
        if policy.problem:
            continue
        branches = repository.branch_set.order_by("-indexed_at", "-pk")
        kept = [branch for branch in branches if policy.wants(branch.ref)][: policy.most - 1]
        for branch in branches:
            if branch not in kept:
                remove_branch(repository, branch, why="not wanted")
                count += 1
    return count
