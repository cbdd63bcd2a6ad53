"""How far the graph has caught up with the corpus: what is due, in one query."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from django.db import connection

from central.tenancy.models import Organization

NOT_LINKED: Final = "not_linked_yet"
NOT_CHECKED: Final = "policies_not_checked_yet"

# `CodeLinks.file_id` is the last file of the linked generation, so policies are compared with it.
_DUE: Final = """
    SELECT r.id, l.generation IS NULL OR l.generation < r.generation
    FROM repositories_repository r LEFT JOIN knowledge_codelinks l ON l.repository_id = r.id
    WHERE {condition} AND r.retired_at IS NULL AND r.generation > 0 AND (
        l.generation IS NULL OR l.generation < r.generation OR EXISTS (
            SELECT 1 FROM knowledge_policy p
            JOIN knowledge_document d ON d.node_id = p.document_id
            JOIN knowledge_node n ON n.id = d.node_id
            WHERE n.organization_id = r.organization_id AND d.archived_at IS NULL
                AND (n.repository_id = r.id OR (n.repository_id IS NULL AND %(shared)s))
                AND NOT EXISTS (
                    SELECT 1 FROM knowledge_policycheck c
                    WHERE c.policy_id = p.document_id AND c.repository_id = r.id
                        AND c.rule_version = p.rule_version AND c.file_id >= l.file_id)))
    ORDER BY r.id"""


def repositories_due(organization: Organization | None = None) -> list[int]:
    """Keys of the indexed repositories whose code is not linked or checked up to its generation."""
    if organization is None:
        return list(_due("TRUE", {"shared": True}))
    given = {"organization": organization.pk, "shared": True}
    return list(_due("r.organization_id = %(organization)s", given))


def reasons_due(repositories: Collection[int], *, shared_policies: bool) -> dict[int, str]:
    """Of those that are due: NOT_LINKED or NOT_CHECKED by key.

    `shared_policies`: policies without a project count, too.
    """
    given = {"repositories": list(repositories), "shared": shared_policies}
    return {
        repository: NOT_LINKED if is_unlinked else NOT_CHECKED
        for repository, is_unlinked in _due("r.id = ANY(%(repositories)s)", given).items()
    }


def _due(condition: str, given: Mapping[str, Any]) -> dict[int, bool]:
    with connection.cursor() as cursor:
        cursor.execute(_DUE.format(condition=condition), given)
        return dict(cursor.fetchall())
