"""Which policies are to be checked in a repository, from which file on; and which are not run.

Each policy has a watermark in each repository (PolicyCheck), so that new files, a new policy and a
crash are one case: files above the watermark are checked.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q

from central.corpus.models import File
from central.knowledge.models import Edge, Policy, PolicyCheck
from central.knowledge.rules import literal_of, parse_rule, why_not_run
from central.knowledge.watermarks import FileRange
from central.repositories.models import Repository
from indexer.globs import ignore_spec

POLICY_FILES_OVER_LIMIT: Final = 10  # of a repository; then the policy is not run there
VIOLATES: Final = "violates"
_TOO_SLOW: Final = (
    f"Matching it took too much time or memory in {POLICY_FILES_OVER_LIMIT} files. It is not run "
    "here until it or one of them is changed. Shorten the rule, or exclude the files."
)


@dataclass(slots=True)
class Pending:
    """A policy that is to be matched, with its watermark in a repository."""

    policy: Policy
    check: PolicyCheck
    rule: Mapping[str, Any]
    literal: str
    holds_for: Callable[[str], bool]

    def concerns(self, file: File) -> bool:
        return (
            file.pk > self.check.file_id
            and not self.check.not_run
            and file.language == self.policy.language
            and self.holds_for(file.path)
            and self.literal in file.content
        )

    def exceed_limit(self, file: File) -> None:
        """Note a file in which matching takes too much."""
        self.check.over_limit = [*self.check.over_limit, file.path]
        if len(self.check.over_limit) >= POLICY_FILES_OVER_LIMIT:
            self.check.not_run = _TOO_SLOW


def pending_policies(repository: Repository, last: int) -> list[Pending]:
    """Return the policies that are to be matched in files up to `last`.

    One that is not run is brought up to it at once.
    """
    found = []
    for check in _checks_behind(repository, last):
        policy = check.policy
        if reason := why_not_run(policy.rule):
            check.file_id, check.over_limit, check.not_run = 0, [], reason
        if check.not_run:
            move_check(check, last)
            continue
        rule = parse_rule(policy.rule)
        literal = literal_of(rule["rule"])
        found.append(Pending(policy, check, rule, literal, pattern_matcher(policy)))
    return found


def _checks_behind(repository: Repository, last: int) -> Iterator[PolicyCheck]:
    """Yield the checks below `last`, or of another version of their rule; such a one begins."""
    policies = (
        Policy.objects.filter(document__node__organization_id=repository.organization_id)
        .filter(Q(document__node__repository=None) | Q(document__node__repository=repository))
        .filter(document__archived_at=None)
        .order_by("pk")
    )
    checks = {
        policy_check.policy_id: policy_check
        for policy_check in PolicyCheck.objects.filter(repository=repository)
    }
    for policy in policies:
        check = checks.get(policy.pk) or PolicyCheck()
        check.policy, check.repository = policy, repository
        is_current = check.rule_version == policy.rule_version
        if is_current and check.file_id >= last:
            continue
        if not is_current or (check.not_run and _may_be_run(check)):
            begin_check(check)
        yield check


def _may_be_run(check: PolicyCheck) -> bool:
    """Whether the reason why a policy is not run may be gone."""
    changed = File.objects.filter(
        repository=check.repository, path__in=check.over_limit, pk__gt=check.file_id
    )
    return not check.over_limit or changed.exists()


def begin_check(check: PolicyCheck) -> None:
    """Have all files checked, from the first one on."""
    check.file_id, check.over_limit, check.not_run = 0, [], ""


def move_check(check: PolicyCheck, until: int) -> None:
    """Store a check up to the file `until`, without violations of the files that are passed."""
    edges = Edge.objects.filter(
        type=VIOLATES, target_id=check.policy_id, source__repository=check.repository
    )
    if check.file_id:
        passed = FileRange(check.repository, check.file_id, until).files()
        edges = edges.filter(source__path__in=passed.values("path"))
    edges.delete()
    check.file_id = max(check.file_id, until)
    check.rule_version = check.policy.rule_version
    PolicyCheck.objects.update_or_create(
        policy=check.policy,
        repository=check.repository,
        defaults={
            "file_id": check.file_id,
            "rule_version": check.rule_version,
            "over_limit": check.over_limit,
            "not_run": check.not_run,
        },
    )


def without_fresh(check: PolicyCheck, until: int) -> list[str]:
    """Return the files over the limit that are not checked again by a part up to `until`."""
    if not check.over_limit:
        return []
    fresh = FileRange(check.repository, check.file_id, until).files()
    gone = set(fresh.filter(path__in=check.over_limit).values_list("path", flat=True))
    return [path for path in check.over_limit if path not in gone]


def pattern_matcher(policy: Policy) -> Callable[[str], bool]:
    """Whether a policy holds for a path."""
    include = ignore_spec(policy.include) if policy.include else None
    exclude = ignore_spec(policy.exclude)

    def holds_for(path: str) -> bool:
        return (include is None or include.match_file(path)) and not exclude.match_file(path)

    return holds_for
