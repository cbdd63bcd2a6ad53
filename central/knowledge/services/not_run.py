"""Policies that are not run in repositories, and why: for status, answers and pages."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated

from django.db.models import F, QuerySet

from aeterna_code_search.contract.knowledge import LISTED_NODES
from central.knowledge.access import visible_nodes
from central.knowledge.answers import NotRun
from central.knowledge.models import Node, PolicyCheck
from central.knowledge.resolution import node_id
from central.repositories.models import Repository
from central.repositories.visibility import visible_repositories
from central.tenancy.credentials import Credential


@dataclass(frozen=True, slots=True)
class PolicyNotRun:
    """A policy that is not run in a project."""

    policy: Annotated[str, "The policy's id"]
    title: str
    reason: str


def _checks() -> QuerySet[PolicyCheck]:
    """Checks of policies that are not run; not those that the worker has still to look at."""
    return (
        PolicyCheck.objects.exclude(not_run="")
        .filter(rule_version=F("policy__rule_version"), policy__document__archived_at=None)
        .select_related("policy__document__node__repository")
        .order_by("policy__document__node__key", "policy", "repository__name")
    )


def policies_not_run(repository: Repository, *, credential: Credential) -> list[PolicyNotRun]:
    """Return the visible policies that are not run in a repository. Raises ForbiddenError."""
    visible = visible_nodes(credential=credential).values("pk")
    checks = _checks().filter(repository=repository, policy__in=visible)
    return [
        PolicyNotRun(
            node_id(check.policy.document.node), check.policy.document.title, check.not_run
        )
        for check in checks
    ]


def reasons_not_run(node: Node, *, repositories: Collection[int]) -> list[NotRun]:
    """Return why a policy is not run, and in which of the repositories."""
    checks = _checks().filter(policy=node.pk, repository__in=repositories)
    found: dict[str, list[str]] = {}
    for reason, project in checks.values_list("not_run", "repository__name")[:LISTED_NODES]:
        found.setdefault(reason, []).append(project)
    return [NotRun(reason, projects) for reason, projects in found.items()]


def policies_not_run_by_repository(credential: Credential) -> dict[int, list[str]]:
    """Return ids of policies that are not run, by key of the visible repositories. One query."""
    if credential.is_job:
        return {}
    checks = _checks().filter(
        policy__in=visible_nodes(credential=credential).values("pk"),
        repository__in=visible_repositories(credential=credential),
    )
    found: dict[int, list[str]] = {}
    for check in checks:
        found.setdefault(check.repository_id, []).append(node_id(check.policy.document.node))
    return found
