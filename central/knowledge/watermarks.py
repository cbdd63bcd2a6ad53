"""How far the graph has caught up with the corpus: what is due, and which files are new."""

from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from django.db.models import QuerySet

from central.corpus.models import File
from central.db import fetch_rows_planned_each_time, id_array, sql
from central.knowledge.models import CodeLinks, Document, Node, Policy, PolicyCheck
from central.repositories.models import Repository
from central.tenancy.models import Organization

NOT_LINKED: Final = "not_linked_yet"
NOT_CHECKED: Final = "policies_not_checked_yet"

# `CodeLinks.file_id` is the last file of the linked generation, so policies are compared with it.
_DUE = """
    SELECT r.id, l.generation IS NULL OR l.generation < r.generation
    FROM {repository} r LEFT JOIN {code_links} l ON l.repository_id = r.id
    WHERE {condition} AND r.retired_at IS NULL AND r.generation > 0 AND (
        l.generation IS NULL OR l.generation < r.generation OR EXISTS (
            SELECT 1 FROM {policy} p
            JOIN {document} d ON d.node_id = p.document_id
            JOIN {node} n ON n.id = d.node_id
            WHERE n.organization_id = r.organization_id AND d.archived_at IS NULL
                AND (n.repository_id = r.id OR (n.repository_id IS NULL AND %(shared)s))
                AND NOT EXISTS (
                    SELECT 1 FROM {policy_check} c
                    WHERE c.policy_id = p.document_id AND c.repository_id = r.id
                        AND c.rule_version = p.rule_version AND c.file_id >= l.file_id)))
    ORDER BY r.id"""
_DUE_OF_ALL, _DUE_OF_ORGANIZATION, _DUE_OF_REPOSITORIES = (
    sql(
        _DUE,
        condition=condition,
        repository=Repository,
        code_links=CodeLinks,
        policy=Policy,
        document=Document,
        node=Node,
        policy_check=PolicyCheck,
    )
    for condition in (
        "TRUE",
        "r.organization_id = %(organization)s",
        "r.id = ANY(%(repositories)s::bigint[])",
    )
)


class FileRange(NamedTuple):
    """Files of a repository with `after` < id <= `until`."""

    repository: Repository
    after: int
    until: int

    def files(self) -> QuerySet[File]:
        """In no order."""
        return File.objects.filter(
            repository=self.repository, pk__gt=self.after, pk__lte=self.until
        )


def file_of(path: object, repository: Repository) -> QuerySet[File]:
    """Match the file at a path, which may be an expression."""
    return File.objects.filter(repository=repository, path=path)


def repositories_due(organization: Organization | None = None) -> list[int]:
    """Keys of the indexed repositories whose code is not linked or checked up to its generation."""
    if organization is None:
        return list(_due(_DUE_OF_ALL, {"shared": True}))
    return list(_due(_DUE_OF_ORGANIZATION, {"organization": organization.pk, "shared": True}))


def reasons_due(repositories: Collection[int], *, shared_policies: bool) -> dict[int, str]:
    """Of those that are due: NOT_LINKED or NOT_CHECKED by key.

    `shared_policies`: policies without a project count, too.
    """
    given = {"repositories": id_array(repositories), "shared": shared_policies}
    return {
        repository: NOT_LINKED if is_unlinked else NOT_CHECKED
        for repository, is_unlinked in _due(_DUE_OF_REPOSITORIES, given).items()
    }


def _due(statement: str, given: Mapping[str, Any]) -> dict[int, bool]:
    return dict(fetch_rows_planned_each_time(statement, given))
