"""What is new of watched searches: lines that the generation before did not have.

Each look is of one repository at one moment, with the rights that the owner has then, and only of
files that changed. A file's lines are compared by their text, so that lines that moved are not new.
"""

import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef
from django.db.models.functions import Coalesce
from django.utils import timezone
from rest_framework.exceptions import ValidationError

from central.corpus.models import File
from central.db import one_moment
from central.errors import NotFoundError, ServiceError
from central.repositories.visibility import RepositorySnapshot, visible_repositories
from central.saved_searches.models import SavedSearch, WatchedFile, WatchedRepository
from central.saved_searches.services.saved import request_of
from central.search.exact.hits import ExactSearch, FileHit
from central.search.exact.matching import Lines, matched_lines
from central.search.exact.plan import ExactPlan, exact_plan
from central.search.line_search import EXACT_FILES
from central.search.reading import read_request
from central.search.scope import SearchScope, search_scope
from central.tenancy.credentials import Credential, credential_of_member
from central.tenancy.models import Scope

WATCH_LINES: Final = 10_000  # of a repository that a watched search may find
WATCH_SECONDS: Final = 5.0  # of a look at a repository
_log = structlog.get_logger(__name__)

_DIGEST_BYTES: Final = 8
# Reasons that end soon: the look is repeated, and nothing noted.
_AGAIN: Final = frozenset({"text_index_incomplete", "text_index_damaged", "reindexed"})


class _NotYetError(Exception):
    """The text index of a repository is not complete now."""


@dataclass(frozen=True, slots=True)
class _Look:
    """What a look at a repository found.

    `files` are digests of lines by path, of files that changed; `gone` are paths that have none any
    more; `count` are new lines. `problem` says what it did not look at.
    """

    repository: RepositorySnapshot
    before: WatchedRepository | None
    last_file: int
    files: Mapping[str, bytes]
    gone: Collection[str]
    count: int
    problem: str = ""


def look_at_watched(organization_id: int, *, until: float) -> None:
    """Count what is new of every watched search of an organisation, in a random order.

    Ends at `until`, seconds of `time.monotonic`. Not in a transaction.
    """
    watched = SavedSearch.objects.filter(organization=organization_id, is_watched=True)
    for search in watched.select_related("owner", "organization").order_by("?"):
        try:
            _look_at_all(search, until)
        except (ServiceError, ValidationError) as exc:
            _note(search, _sentence(exc))
        except Exception:  # noqa: BLE001 (one that fails blocks no other)
            _log.exception("watched_search_failed", search_id=search.pk)


def _look_at_all(search: SavedSearch, until: float) -> None:
    """Look at each repository that has another generation, each at one moment.

    Raises ServiceError and ValidationError for what cannot be asked any more.
    """
    asked: set[int] = set()
    problems = False
    while time.monotonic() < until:
        try:
            with one_moment():
                look = _next_look(search, asked)
        except _NotYetError:
            continue
        if look is None:
            break
        problems |= bool(look.problem)
        _write(search, look)
    else:
        return
    if asked and not problems and not _has_uncounted(search):
        _note(search, "")


def _has_uncounted(search: SavedSearch) -> bool:
    """Whether nothing is counted in a repository that the owner sees: an earlier look said so."""
    uncounted = WatchedRepository.objects.filter(
        Exists(File.objects.filter(repository_id=OuterRef("repository_id"))),
        search=search,
        last_file=0,
        repository__in=visible_repositories(credential=_credential(search)),
    )
    return uncounted.exists()


def _sentence(exc: ServiceError | ValidationError) -> str:
    if isinstance(exc, NotFoundError):
        return "Its owner is no longer a member."
    return str(exc) if isinstance(exc, ServiceError) else "The search is no longer valid."


def _note(search: SavedSearch, problem: str) -> None:
    """Note why it is watched in part, if that is something else than before."""
    problem = problem[:300]
    SavedSearch.objects.filter(pk=search.pk).exclude(problem=problem).update(problem=problem)


def _next_look(search: SavedSearch, asked: set[int]) -> _Look | None:
    """Return the look at a repository that is not in `asked`, which gains it; None without one."""
    credential = _credential(search)
    read = read_request(request_of(search, search.organization.slug))
    plan = exact_plan(read)
    before = {row.repository_id: row for row in WatchedRepository.objects.filter(search=search)}
    scope = search_scope(credential, read)
    for repository in scope.searched.values():
        known = before.get(repository.id)
        is_due = known is None or known.generation != repository.generation
        if is_due and repository.id not in asked:
            asked.add(repository.id)
            return _look(plan, repository, known, scope)
    return None


def _credential(search: SavedSearch) -> Credential:
    """Return what the owner may see now. Raises NotFoundError, ForbiddenError."""
    credential = credential_of_member(user=search.owner, slug=search.organization.slug)
    credential.require_scope(Scope.SEARCH)
    return credential


def _look(
    plan: ExactPlan,
    repository: RepositorySnapshot,
    before: WatchedRepository | None,
    scope: SearchScope,
) -> _Look:
    live = File.objects.filter(repository_id=repository.id)
    last_file = live.aggregate(last=Max("id"))["last"] or 0
    since = before.last_file if before and before.last_file <= last_file else 0
    search = ExactSearch(
        scope, plan, files=EXACT_FILES, seconds=WATCH_SECONDS, only=repository, newer_than=since
    )
    known = _known(before)
    found = _found(search, lists_files=plan.read.lists_files)
    reasons = set(search.unread.reasons.values())
    reasons |= {*scope.values_unread(plan.evaluator.reads_values).values()}
    if reasons & _AGAIN:
        raise _NotYetError
    if found is None or _lines(known | found) > WATCH_LINES:
        problem = f"It finds too many lines in {repository.name}: nothing is counted there."
        return _Look(repository, before, 0, {}, known.keys(), 0, problem)
    unchanged = live.filter(path__in=list(known), id__lte=since).values_list("path", flat=True)
    gone = known.keys() - set(unchanged) - found.keys()
    is_counted = before is not None and before.last_file > 0
    count = sum(_new_lines(known.get(path, b""), lines) for path, lines in found.items())
    if reasons:  # the next look is at what changed since the one before this
        problem = f"Not all of {repository.name} was looked at ({', '.join(sorted(reasons))})."
        return _Look(repository, before, since, found, (), count * is_counted, problem)
    return _Look(repository, before, last_file, found, gone, count * is_counted)


def _known(before: WatchedRepository | None) -> dict[str, bytes]:
    if before is None:
        return {}
    rows = WatchedFile.objects.filter(watched=before).values_list("path", "lines")
    return {path: bytes(lines) for path, lines in rows}


def _found(search: ExactSearch, *, lists_files: bool) -> dict[str, bytes] | None:
    """Return digests of lines by path; None if there are too many."""
    found: dict[str, bytes] = {}
    count = 0
    with closing(search.hits()) as hits:
        for hit in hits:
            lines = _digests(hit, lists_files=lists_files)
            count += len(lines) // _DIGEST_BYTES
            if hit.is_cut or count > WATCH_LINES:
                return None
            found[hit.file.path] = lines
    return found


def _lines(files: Mapping[str, bytes]) -> int:
    return sum(map(len, files.values())) // _DIGEST_BYTES


def _new_lines(before: bytes, now: bytes) -> int:
    return len(set(_split(now)) - set(_split(before)))


def _digests(hit: FileHit, *, lists_files: bool) -> bytes:
    """Return a digest of each line that matches; of a file that is listed alone, one."""
    if lists_files or not hit.spans:
        return _digest("", 0)
    lines, _ = matched_lines(
        Lines(hit.content), hit.spans, limit=WATCH_LINES + 1, defining=hit.defining
    )
    repeated: Counter[str] = Counter()
    parts = []
    for line in lines:
        text = line.text.strip()
        parts.append(_digest(text, repeated[text]))
        repeated[text] += 1
    return b"".join(parts)


def _digest(text: str, number: int) -> bytes:
    """Return the digest of a text, the `number`-th of a file from 0."""
    return blake2b(f"{number} {text}".encode(), digest_size=_DIGEST_BYTES).digest()


def _write(search: SavedSearch, look: _Look) -> None:
    """Note what was looked at, and count what is new; nothing if another process has done so."""
    with transaction.atomic():
        live = SavedSearch.objects.filter(pk=search.pk, is_watched=True)
        if not live.select_for_update(of=("self",)).exists():
            return
        watched = _moved(search, look)
        if watched is None:
            return
        rows = WatchedFile.objects.filter(watched=watched)
        rows.filter(path__in=list(look.gone)).delete()
        rows.bulk_create(
            (
                WatchedFile(watched=watched, path=path, lines=lines)
                for path, lines in look.files.items()
            ),
            update_conflicts=True,
            unique_fields=["watched", "path"],
            update_fields=["lines"],
        )
        if look.count:
            since = Coalesce("found_since", timezone.now())
            live.update(found=F("found") + look.count, found_since=since)
        if look.problem:
            _note(search, look.problem)


def _moved(search: SavedSearch, look: _Look) -> WatchedRepository | None:
    """Compare and set the state of a repository; None if it has changed meanwhile.

    The search's row is locked, so that no other process creates a state.
    """
    rows = WatchedRepository.objects.filter(search=search, repository_id=look.repository.id)
    generation = look.repository.generation
    if look.before is None:
        if rows.exists():
            return None
        return WatchedRepository.objects.create(
            organization_id=search.organization_id,
            search=search,
            repository_id=look.repository.id,
            generation=generation,
            last_file=look.last_file,
        )
    same = rows.filter(pk=look.before.pk, generation=look.before.generation)
    moved = same.update(generation=generation, last_file=look.last_file)
    return look.before if moved else None


def _split(lines: bytes) -> Iterator[bytes]:
    return (lines[at : at + _DIGEST_BYTES] for at in range(0, len(lines), _DIGEST_BYTES))
