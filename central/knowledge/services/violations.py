"""Checking policies: which code matches their rules, kept as edges `violates`.

Each policy has a watermark in each repository (PolicyCheck), so that new files, a new policy and a
crash are one case: files above the watermark are checked, each parsed once for all policies that
lack it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import structlog
from django.db import transaction
from django.db.models import Exists, Max, OuterRef

from central.corpus.models import File
from central.knowledge.matching import Match, Matcher, OverLimitError
from central.knowledge.models import Edge, Node, NodeKind, Origin, Policy, PolicyCheck
from central.knowledge.resolution import CodePlace, node_of
from central.knowledge.rules import literal_of, parse_rule
from central.knowledge.services.linking import definitions_around
from central.repositories.models import Repository
from indexer.globs import ignore_spec
from indexer.limits import POLICIES_CHECKED

VIOLATES: Final = "violates"
_FILES: Final = 200  # of a transaction
_MAX_FILE_CHARACTERS: Final = 1_000_000

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
        """Whether the file must be matched."""
        return (
            file.pk > self.check.file_id
            and file.language == self.policy.language
            and self.holds_for(file.path)
            and self.literal in file.content
        )


def check_policies(repository: Repository, matcher: Matcher) -> int:
    """Bring every policy up to the repository's files; returns how many files were matched.

    Each part is a transaction with the watermarks that it moves: what ends the process costs one.
    """
    last = File.objects.filter(repository=repository).aggregate(last=Max("pk"))["last"] or 0
    matched = 0
    pending = _pending(repository, last)
    while pending:
        matched += _check_part(repository, pending, last, matcher)
        pending = _pending(repository, last)
    _remove_violations_of_gone_files(repository)
    return matched


def policies_to_check(repository: Repository) -> bool:
    """Whether a policy lacks something of the repository."""
    last = File.objects.filter(repository=repository).aggregate(last=Max("pk"))["last"] or 0
    return bool(_pending(repository, last))


def _pending(repository: Repository, last: int) -> list[_Pending]:
    """Policies whose watermark is below `last`, or of another version of their rule."""
    policies = (
        Policy.objects.filter(document__node__organization_id=repository.organization_id)
        .filter(document__archived_at=None)
        .select_related("document__node")
        .order_by("pk")[:POLICIES_CHECKED]
    )
    checks = {one.policy_id: one for one in PolicyCheck.objects.filter(repository=repository)}
    found = []
    for policy in policies:
        project = policy.document.node.repository_id
        if project is not None and project != repository.pk:
            continue
        check = checks.get(policy.pk) or PolicyCheck(policy=policy, repository=repository)
        if check.rule_version != policy.rule_version:
            check.file_id = check.over_limit = 0
        if check.file_id < last or check.rule_version != policy.rule_version:
            found.append(_prepared(policy, check))
    return found


def _prepared(policy: Policy, check: PolicyCheck) -> _Pending:
    return _Pending(
        policy=policy,
        check=check,
        rule=parse_rule(policy.rule),
        literal=literal_of(policy.rule),
        holds_for=pattern_matcher(policy),
    )


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
    """Check the next files above the lowest watermark; returns how many were matched."""
    lowest = min(one.check.file_id for one in pending)
    languages = {one.policy.language for one in pending}
    files = list(
        File.objects.filter(
            repository=repository, pk__gt=lowest, pk__lte=last, language__in=languages, skipped=""
        )
        .select_related("repository")
        .order_by("pk")[:_FILES]
    )
    reached = files[-1].pk if len(files) == _FILES else last
    _forget(pending, repository, reached)
    matched = sum(_check_file(file, pending, matcher) for file in files)
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
    return matched


def _forget(pending: Iterable[_Pending], repository: Repository, reached: int) -> None:
    """Delete the violations of what is checked anew."""
    for one in pending:
        edges = Edge.objects.filter(
            type=VIOLATES, target_id=one.policy.pk, source__repository=repository
        )
        if one.check.file_id:
            fresh = File.objects.filter(
                repository=repository, pk__gt=one.check.file_id, pk__lte=reached
            )
            edges = edges.filter(source__path__in=fresh.values("path"))
        edges.delete()


def _check_file(file: File, pending: Sequence[_Pending], matcher: Matcher) -> bool:
    """Whether it was matched; what is found is stored."""
    concerned = [one for one in pending if one.concerns(file)]
    if not concerned:
        return False
    try:
        if len(file.content) > _MAX_FILE_CHARACTERS:
            raise OverLimitError
        rules = {one.policy.pk: one.rule for one in concerned}
        found = matcher.matches(file.content, file.language, rules)
    except OverLimitError:
        _log.warning("policy_match_over_limit", path=file.path, policies=len(concerned))
        for one in concerned:
            one.check.over_limit += 1
        return True
    _store(file, {key: matches for key, matches in found.items() if matches})
    return True


def _store(file: File, found: Mapping[int, Sequence[Match]]) -> None:
    lines = {match.start_line for matches in found.values() for match in matches}
    names = definitions_around(file, lines) if lines else {}
    for policy, matches in found.items():
        by_name: dict[str, list[Match]] = {}
        for match in matches:
            by_name.setdefault(names[match.start_line], []).append(match)
        for name, own in by_name.items():
            place = CodePlace(file.repository, file.path, name, file.blob)
            Edge.objects.create(
                organization_id=file.repository.organization_id,
                source=node_of(place),
                target_id=policy,
                type=VIOLATES,
                origin=Origin.POLICY,
                properties={
                    "matches": [
                        {
                            "start_line": match.start_line,
                            "end_line": match.end_line,
                            "text": match.text,
                        }
                        for match in own
                    ]
                },
            )


def _remove_violations_of_gone_files(repository: Repository) -> None:
    is_there = Exists(File.objects.filter(repository=repository, path=OuterRef("source__path")))
    Edge.objects.filter(~is_there, type=VIOLATES, source__repository=repository).delete()


def remove_unlinked_code(repository: Repository) -> None:
    """Delete code nodes that no edge needs any more."""
    linked_out = Exists(Edge.objects.filter(source=OuterRef("pk")))
    linked_in = Exists(Edge.objects.filter(target=OuterRef("pk")))
    kinds = (NodeKind.CODE_FILE, NodeKind.CODE_SYMBOL)
    Node.objects.filter(~linked_out, ~linked_in, repository=repository, kind__in=kinds).delete()
