"""Branches that are deleted, and a branch that becomes the default one.

Both cost what the branch has otherwise, and nothing is indexed again.
"""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import structlog
from django.db import transaction

from central.corpus.backends import collection_of, vector_store
from central.corpus.branches.packages import delete_packages, swap_packages
from central.corpus.branches.rows import (
    change_bits,
    delete_unused,
    hidden_files,
    keep_for_others,
    points_of,
    shown_files,
    take_from_others,
)
from central.corpus.branches.tables import IN_OTHERS
from central.corpus.models import File
from central.corpus.points import delete_points, write_stored_points
from central.corpus.replace import Replacement
from central.corpus.trigrams.indexed import Indexed
from central.corpus.trigrams.upkeep import build_now
from central.db import fetch_rows, sql
from central.repositories.models import Branch, IndexState, Push, Repository
from central.repositories.services import hold_refs
from indexer.errors import StoreError

_OWN_OR_UNUSED: Final = sql(
    "SELECT id FROM {others}{file}"
    " WHERE repository_id = %s AND (branches & %s::int <> 0 OR branches = 0)",
    file=File,
    others=IN_OTHERS,
)

_log = structlog.get_logger(__name__)


def delete_branch(branch: Branch) -> None:
    """Delete a branch with its runs and what no other branch has. Not in a transaction."""
    while True:
        with transaction.atomic():
            # Its runs first, as an apply does. Those that open meanwhile are locked next time.
            runs = {*branch.runs.select_for_update().values_list("pk", flat=True)}
            repository = _locked(branch.repository_id)
            present = Branch.objects.select_for_update().filter(pk=branch.pk).first()
            if present is None:
                return
            if runs.issuperset(present.runs.values_list("pk", flat=True)):
                orphans = _take_bit(present)
                delete_packages(present.repository_id, present.pk)
                present.delete()
                break
    _settle(repository, branch.embedder, of_others=True, deleted=orphans)
    _log.info("branch_deleted", repository=str(repository), ref=branch.ref)


def _locked(repository_id: int) -> Repository:
    repositories = Repository.objects.select_related("organization")
    return repositories.select_for_update(no_key=True, of=("self",)).get(pk=repository_id)


def _take_bit(branch: Branch) -> list[UUID]:
    """Make its bit mean no branch again; returns points of chunks that are gone."""
    change_bits(hidden_files(branch.repository_id, branch.bit), add=branch.bit)
    own = [key for (key,) in fetch_rows(_OWN_OR_UNUSED, [branch.repository_id, branch.bit])]
    change_bits(own, clear=branch.bit)
    return delete_unused(own)


def _settle(
    repository: Repository,
    embedder: str,
    *,
    of_others: bool,
    deleted: Sequence[UUID] = (),
    written: Sequence[UUID] = (),
) -> None:
    """Delete and write points. What fails here is deferred to the reconcile."""
    if not embedder or not (deleted or written):
        return
    collection = collection_of(repository, embedder, of_others=of_others)
    try:
        delete_points(vector_store(), collection, deleted)
        write_stored_points(collection, written)
    except StoreError as exc:
        _log.warning("stale_points_deferred", repository=str(repository), error=str(exc))


def change_default_branch(repository: Repository, *, old: str, new: str) -> bool:
    """Track the branch `new` if `old` was tracked, the default; return whether it was.

    Names are full ones. If `new` is indexed, both change places. Not in a transaction.
    """
    while True:
        former = _indexed_as(repository, new)
        if former is not None and former.repository.tracked_ref == old and not _may_swap(former):
            delete_branch(former)
        with transaction.atomic():
            locked = _locked(repository.pk)
            if locked.tracked_ref != old:
                return False
            hold_refs(locked.pk)
            branch = _indexed_as(locked, new)
            if branch is not None and not _may_swap(branch):
                continue  # since then
            Push.objects.filter(repository=locked).delete()  # it was one to the old branch
            if branch is None:
                Repository.objects.filter(pk=locked.pk).update(tracked_ref=new)
                return True
            lost, taken = _swap(locked, branch)
            break
    _settle(locked, locked.embedder, of_others=False, deleted=lost)
    _settle(locked, locked.embedder, of_others=True, deleted=taken, written=lost)
    _settle(locked, locked.embedder, of_others=False, written=taken)
    return True


def _indexed_as(repository: Repository, ref: str) -> Branch | None:
    branches = Branch.objects.select_related("repository")
    return branches.filter(repository=repository, ref=ref).first()


def _may_swap(branch: Branch) -> bool:
    return branch.is_indexed and branch.embedder == branch.repository.embedder


def _swap(repository: Repository, branch: Branch) -> tuple[list[UUID], list[UUID]]:
    """Let the branch and the default one change places; its number is the former default's.

    Returns the points of chunks that the default branch loses, and of those that it gains.
    """
    key, bit, bits = repository.pk, branch.bit, repository.branch_bits
    lost, taken = hidden_files(key, bit), shown_files(key, bit)
    gained = points_of(taken)
    replaced = Replacement(key)
    change_bits(lost, add=bit)
    kept = keep_for_others(lost, bits)
    replaced.remove_files([*lost.values()])
    with swap_packages(key, branch.pk):
        change_bits(taken, clear=bit)
        take_from_others(taken, bits)
    replaced.take_files(taken)
    build_now(key, Indexed.FILES)
    build_now(key, Indexed.OTHER_FILES)
    _swap_states(repository, branch)
    return kept, gained


def _swap_states(repository: Repository, branch: Branch) -> None:
    former = {field.name: getattr(repository, field.name) for field in _STATE}
    is_complete = repository.text_generation == repository.generation
    for field in _STATE:
        setattr(repository, field.name, getattr(branch, field.name))
        setattr(branch, field.name, former[field.name])
    generation = former["generation"] + 1
    branch.generation, repository.generation = repository.generation + 1, generation
    if is_complete:
        repository.text_generation = generation
    repository.tracked_ref, branch.ref = branch.ref, repository.tracked_ref
    Branch.objects.filter(repository=repository, default_generation=former["generation"]).update(
        default_generation=generation
    )
    branch.default_generation = generation
    names = [field.name for field in _STATE]
    repository.save(update_fields=[*names, "text_generation", "tracked_ref"])
    branch.save(update_fields=[*names, "default_generation", "ref"])


_STATE: Final = [*IndexState._meta.local_fields]
