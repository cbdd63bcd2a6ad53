"""Checking policies: which code matches their rules, kept as edges `violates`.

Each policy has a watermark in each repository (PolicyCheck), so that new files, a new policy and a
crash are one case: files above the watermark are checked, each parsed once for all policies that
lack it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import structlog
from django.db import connection, transaction
from django.db.models import Exists, Max, OuterRef, QuerySet

from central.corpus.models import File
from central.db import sql_with
from central.knowledge.matching import Match, Matcher, OverLimitError
from central.knowledge.models import Edge, Node, Origin, Policy, PolicyCheck
from central.knowledge.resolution import CodePlace, nodes_of
from central.knowledge.rules import literal_of, parse_rule
from central.knowledge.services.linking import definitions_around
from central.repositories.models import Repository
from indexer.globs import ignore_spec

VIOLATES: Final = "violates"
_FILES: Final = 200  # of a transaction
_MAX_FILE_CHARACTERS: Final = 1_000_000
_NOTED: Final = 1_000  # files over the limit, of a policy in a repository

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Pending:
    """A policy with its watermark in a repository, and what it is matched by."""

    policy: Policy
    check: PolicyCheck
    rule: Mapping[str, Any]
    literal: str
    holds_for: Callable[[str], bool]

    def concerns(self, file: File) -> bool:
        return (
            file.pk > self.check.file_id
            and file.language == self.policy.language
            and self.holds_for(file.path)
            and self.literal in file.content
        )


def check_policies(repository: Repository, matcher: Matcher) -> int:
    """Bring every policy up to the repository's files; returns how many files were read.

    Each part is a transaction with the watermarks that it moves: what ends the process costs one.
    """
    last = File.objects.filter(repository=repository).aggregate(last=Max("pk"))["last"] or 0
    read = 0
    pending = _pending(repository, last)
    while pending:
        read += _check_part(repository, pending, last, matcher)
        pending = _pending(repository, last)
    _remove_violations_of_gone_files(repository)
    return read


def _pending(repository: Repository, last: int) -> list[_Pending]:
    """Policies whose watermark is below `last`, or of another version of their rule."""
    policies = (
        Policy.objects.filter(document__node__organization_id=repository.organization_id)
        .filter(document__archived_at=None)
        .select_related("document__node")
        .order_by("pk")
    )
    checks = {one.policy_id: one for one in PolicyCheck.objects.filter(repository=repository)}
    found = []
    for policy in policies:
        project = policy.document.node.repository_id
        if project is not None and project != repository.pk:
            continue
        check = checks.get(policy.pk) or PolicyCheck(policy=policy, repository=repository)
        if check.rule_version != policy.rule_version:
            check.file_id, check.over_limit = 0, []
        if check.file_id < last or check.rule_version != policy.rule_version:
            rule, literal = parse_rule(policy.rule), literal_of(policy.rule)
            found.append(_Pending(policy, check, rule, literal, pattern_matcher(policy)))
    return found


def pattern_matcher(policy: Policy) -> Callable[[str], bool]:
    """Whether a policy holds for a path."""
    include = ignore_spec(policy.include) if policy.include else None
    exclude = ignore_spec(policy.exclude)

    def holds_for(path: str) -> bool:
        return (include is None or include.match_file(path)) and not exclude.match_file(path)

    return holds_for


@transaction.atomic
def _check_part(
    repository: Repository, pending: Sequence[_Pending], last: int, matcher: Matcher
) -> int:
    """Check the next files above the lowest watermark; returns how many were read."""
    lowest = min(one.check.file_id for one in pending)
    languages = {one.policy.language for one in pending}
    files = list(
        File.objects.filter(
            repository=repository,
            pk__gt=lowest,
            pk__lte=last,
            language__in=languages,
            skipped="",
            generated="",
        )
        .select_related("repository")
        .order_by("pk")[:_FILES]
    )
    reached = files[-1].pk if len(files) == _FILES else last
    _forget(pending, repository, reached)
    _store(
        [
            violation
            for file in files
            for violation in _violations(file, _check_file(file, pending, matcher))
        ]
    )
    for one in pending:
        one.check.file_id = max(one.check.file_id, reached)
        one.check.rule_version = one.policy.rule_version
        PolicyCheck.objects.update_or_create(
            policy=one.policy,
            repository=repository,
            defaults={
                "file_id": one.check.file_id,
                "rule_version": one.check.rule_version,
                "over_limit": one.check.over_limit,
            },
        )
    return len(files)


def _forget(pending: Iterable[_Pending], repository: Repository, reached: int) -> None:
    """Delete the violations of what is checked again."""
    for one in pending:
        edges = Edge.objects.filter(
            type=VIOLATES, target_id=one.policy.pk, source__repository=repository
        )
        if one.check.file_id:
            fresh = File.objects.filter(
                repository=repository, pk__gt=one.check.file_id, pk__lte=reached
            )
            one.check.over_limit = _without(one.check.over_limit, fresh)
            edges = edges.filter(source__path__in=fresh.values("path"))
        edges.delete()


def _without(paths: list[str], files: QuerySet[File]) -> list[str]:
    """Those of `paths` that are none of the files'."""
    if not paths:
        return []
    gone = set(files.filter(path__in=paths).values_list("path", flat=True))
    return [path for path in paths if path not in gone]


def _check_file(
    file: File, pending: Sequence[_Pending], matcher: Matcher
) -> Mapping[int, Sequence[Match]]:
    """Matches by policy. A file over a limit is noted."""
    concerned = [one for one in pending if one.concerns(file)]
    if not concerned:
        return {}
    try:
        return _matches(file, concerned, matcher)
    except OverLimitError:
        return _matches_one_by_one(file, concerned, matcher)


def _matches(file: File, concerned: Sequence[_Pending], matcher: Matcher) -> dict[int, list[Match]]:
    if len(file.content) > _MAX_FILE_CHARACTERS:
        raise OverLimitError
    rules = {one.policy.pk: one.rule for one in concerned}
    return matcher.matches(file.content, file.language, rules)


def _matches_one_by_one(
    file: File, concerned: Sequence[_Pending], matcher: Matcher
) -> dict[int, list[Match]]:
    """A rule that takes too long hides no other's matches; the file is noted for that rule."""
    found: dict[int, list[Match]] = {}
    for one in concerned:
        try:
            found |= _matches(file, [one], matcher)
        except OverLimitError:
            _log.warning("policy_match_over_limit", path=file.path, policy=one.policy.pk)
            one.check.over_limit = [*one.check.over_limit, file.path][:_NOTED]
    return found


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
    is_there = Exists(File.objects.filter(repository=repository, path=OuterRef("source__path")))
    Edge.objects.filter(~is_there, type=VIOLATES, source__repository=repository).delete()
    files = File.objects.filter(repository=repository)
    for check in PolicyCheck.objects.filter(repository=repository).exclude(over_limit=[]):
        left = set(files.filter(path__in=check.over_limit).values_list("path", flat=True))
        check.over_limit = [path for path in check.over_limit if path in left]
        check.save(update_fields=["over_limit"])


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
    with connection.cursor() as cursor:
        cursor.execute(_UNLINKED, [repository.pk])
