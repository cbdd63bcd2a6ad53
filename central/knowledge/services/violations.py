"""Checking policies: which code matches their rules, kept as edges `violates`.

Each file is parsed once for all policies that lack it. What takes too much is matched alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Exists, Max, OuterRef

from central.corpus.models import File
from central.db import execute, sql_with
from central.knowledge.matching import Match, Matcher, OverLimitError
from central.knowledge.models import Edge, Node, Origin, PolicyCheck
from central.knowledge.resolution import CodePlace, nodes_of
from central.knowledge.services.linking import definitions_around
from central.knowledge.services.policy_checks import (
    VIOLATES,
    Pending,
    begin_check,
    move_check,
    pending_policies,
    without_fresh,
)
from central.repositories.models import Repository

_FILES: Final = 200  # of a transaction

_Found = dict[int, list[Match]]  # by policy

_log = structlog.get_logger(__name__)


def check_policies(
    repository: Repository, matcher: Matcher, *, is_over: Callable[[], bool] = lambda: False
) -> None:
    """Bring every policy up to the repository's files, or a step further if `is_over`.

    Each part is a transaction with the watermarks that it moves: what ends the process costs one.
    """
    last = File.objects.filter(repository=repository).aggregate(last=Max("pk"))["last"] or 0
    pending = pending_policies(repository, last)
    while pending:
        _check_part(repository, pending, last, matcher, is_over)
        pending = pending_policies(repository, last)
        if pending and is_over():
            return
    _remove_violations_of_gone_files(repository)


@transaction.atomic
def _check_part(
    repository: Repository,
    pending: Sequence[Pending],
    last: int,
    matcher: Matcher,
    is_over: Callable[[], bool],
) -> None:
    """Check the next files above the lowest watermark, as many as there is time for."""
    files = _next_files(repository, pending, last)
    until = files[-1].pk if len(files) == _FILES else last
    late: Sequence[Pending] = ()
    for check in pending:
        check.check.over_limit = without_fresh(check.check, until)
    found = []
    for file in files:
        concerned = [check for check in pending if check.concerns(file)]
        matches, late = _check_file(file, concerned, matcher, is_over)
        found.append((file, matches))
        if late or is_over():
            until = file.pk
            break
    for left in pending:
        move_check(left.check, until - 1 if left in late else until)
    _store([violation for file, matches in found for violation in _violations(file, matches)])


def _next_files(repository: Repository, pending: Sequence[Pending], last: int) -> list[File]:
    files = File.objects.filter(
        repository=repository,
        pk__gt=min(check.check.file_id for check in pending),
        pk__lte=last,
        language__in={check.policy.language for check in pending},
        skipped="",
        generated="",
    )
    return list(files.select_related("repository").order_by("pk")[:_FILES])


def _check_file(
    file: File, concerned: Sequence[Pending], matcher: Matcher, is_over: Callable[[], bool]
) -> tuple[_Found, Sequence[Pending]]:
    """Return matches by policy, and the policies for which there was no time.

    A rule that takes too much hides no other's matches; the file is noted for that rule.
    """
    found: _Found = {}
    if not concerned:
        return found, ()
    rules = {check.policy.pk: check.rule for check in concerned}
    try:
        return matcher.matches(file.content, file.language, rules), ()
    except OverLimitError:
        if len(concerned) == 1:
            _log.warning("policy_match_over_limit", path=file.path, policy=concerned[0].policy.pk)
            concerned[0].exceed_limit(file)
            return found, ()
    for position, check in enumerate(concerned):
        if position and is_over():
            return found, concerned[position:]
        found |= _check_file(file, [check], matcher, is_over)[0]
    return found, ()


def _violations(
    file: File, found: Mapping[int, Sequence[Match]]
) -> Iterator[tuple[CodePlace, int, list[Match]]]:
    """The definitions that hold matches, with policy and matches."""
    lines = {match.start_line for matches in found.values() for match in matches}
    names = definitions_around(file, lines) if lines else {}
    for policy, matches in found.items():
        by_name: dict[str, list[Match]] = {}
        for match in matches:
            by_name.setdefault(names[match.start_line], []).append(match)
        for name, own in by_name.items():
            yield CodePlace(file.repository, file.path, name, file.blob), policy, own


def _store(found: Sequence[tuple[CodePlace, int, list[Match]]]) -> None:
    nodes = nodes_of([place for place, _, _ in found])
    Edge.objects.bulk_create(
        Edge(
            organization_id=place.repository.organization_id,
            source_id=nodes[place.key],
            target_id=policy,
            type=VIOLATES,
            origin=Origin.POLICY,
            properties={"matches": [asdict(match) for match in matches]},
        )
        for place, policy, matches in found
    )


def _remove_violations_of_gone_files(repository: Repository) -> None:
    exists = Exists(File.objects.filter(repository=repository, path=OuterRef("source__path")))
    Edge.objects.filter(~exists, type=VIOLATES, source__repository=repository).delete()
    files = File.objects.filter(repository=repository)
    for check in PolicyCheck.objects.filter(repository=repository).exclude(over_limit=[]):
        left = set(files.filter(path__in=check.over_limit).values_list("path", flat=True))
        if check.not_run and len(left) < len(check.over_limit):
            begin_check(check)
        check.over_limit = [path for path in check.over_limit if path in left]
        check.save(update_fields=["file_id", "over_limit", "not_run"])


_sql = sql_with(node=Node, edge=Edge)
_UNLINKED: Final = _sql("""
    DELETE FROM {node} WHERE id IN (
        SELECT n.id FROM {node} n
        WHERE n.repository_id = %s AND n.kind IN ('code_file', 'code_symbol')
            AND NOT EXISTS (SELECT 1 FROM {edge} e WHERE e.source_id = n.id)
            AND NOT EXISTS (SELECT 1 FROM {edge} e WHERE e.target_id = n.id)
        FOR UPDATE SKIP LOCKED)""")


def remove_unlinked_code(repository: Repository) -> None:
    """Delete code nodes without edges, except one that is being linked."""
    execute(_UNLINKED, [repository.pk])
