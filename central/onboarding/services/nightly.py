"""What is done about branches each night: the forge's messages may have been lost."""

import tempfile
import time
from pathlib import Path

import structlog
from django.conf import settings
from django.db.models import Exists, OuterRef, Q

from central.corpus.branches.policy import PROJECT_FILE
from central.corpus.models import File
from central.errors import ServiceError
from central.onboarding.addresses import parse_address, resolve
from central.onboarding.heads import Heads
from central.onboarding.models import ACTIVE, BackfillRepository
from central.onboarding.processes import ChildError, Limits, QuotaError
from central.onboarding.services.branches import remove_branch
from central.onboarding.services.queue import queue_again
from central.onboarding.services.sources import SkippedError, source_of
from central.repositories.models import Branch, IndexedBy
from central.tenancy.audit import SERVICE
from indexer.errors import ForgeError

_EXPECTED = (ChildError, QuotaError, ServiceError, ForgeError, SkippedError)

_log = structlog.get_logger(__name__)


def follow_branches() -> None:
    """Delete branches that the forge no longer has, and look for others.

    Repositories that this service clones are queued, whose work lists their branches. Of others it
    asks the forge only if a backfill of them says with what credential.
    """
    branches = Branch.objects.filter(repository=OuterRef("repository"))
    naming = File.objects.filter(
        repository=OuterRef("repository"), path=PROJECT_FILE, content__contains="branches"
    )
    rows = BackfillRepository.objects.filter(
        ACTIVE, repository__retired_at=None, repository__paused=False, repository__generation__gt=0
    )
    may_have = Q(Exists(branches)) | Q(Exists(naming)) | ~Q(organization__branches=[])
    queue_again(rows.filter(may_have, repository__indexed_by=IndexedBy.CENTRAL), actor=SERVICE)
    others = rows.filter(Exists(branches), repository__indexed_by=IndexedBy.ACTION)
    for row in others.select_related("organization", "backfill", "repository__organization"):
        try:
            _delete_gone(row)
        except _EXPECTED as exc:
            _log.warning("branches_not_listed", repository=row.name, error=str(exc))


def _delete_gone(row: BackfillRepository) -> None:
    """Delete branches that the forge no longer has."""
    if row.repository is None:
        return
    source, configured = source_of(row), settings.BACKFILL
    address = resolve(parse_address(source.url, configured), configured)
    with tempfile.TemporaryDirectory() as directory:
        limits = Limits(
            directory=Path(directory),
            deadline=time.monotonic() + configured.max_seconds,
            max_bytes=configured.max_bytes,
        )
        heads = Heads(address, access=source.access, settings=configured, limits=limits).all()
    if heads:  # an empty list of an indexed repository is wrong
        for branch in row.repository.branch_set.exclude(ref__in=heads):
            remove_branch(row.repository, branch, why="gone")
