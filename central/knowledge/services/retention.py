"""What of the graph goes with a repository that is purged, and into an organisation's export."""

from collections.abc import Iterable, Iterator

from central.knowledge.models import (
    CodeLinks,
    Document,
    Edge,
    Mention,
    Node,
    Policy,
    PolicyCheck,
)
from central.maintenance.organization_export import rows_of
from central.tenancy.models import Organization


def rows_of_repository() -> Iterator[tuple[str, str]]:
    """(table, condition with the repository's key as a parameter), dependents first."""
    nodes = f"(SELECT id FROM {Node._meta.db_table} WHERE repository_id = %s)"  # noqa: S608
    yield Edge._meta.db_table, f"source_id IN {nodes}"
    yield Edge._meta.db_table, f"target_id IN {nodes}"
    yield PolicyCheck._meta.db_table, f"policy_id IN {nodes}"
    yield Policy._meta.db_table, f"document_id IN {nodes}"
    yield Document._meta.db_table, f"node_id IN {nodes}"
    for model in (PolicyCheck, Mention, CodeLinks, Node):
        yield model._meta.db_table, "repository_id = %s"


def export_members(organization: Organization) -> Iterator[tuple[str, Iterable[object]]]:
    """Members of an export: nodes, documents without vectors, policies, edges."""
    nodes = Node.objects.filter(organization=organization)
    documents = Document.objects.filter(node__in=nodes).defer("vector")
    yield "graph/nodes.ndjson", rows_of(nodes)
    yield "graph/documents.ndjson", _without_vectors(rows_of(documents))
    yield "graph/policies.ndjson", rows_of(Policy.objects.filter(document__node__in=nodes))
    yield "graph/edges.ndjson", rows_of(Edge.objects.filter(organization=organization))


def _without_vectors(rows: Iterable[dict[str, object]]) -> Iterator[dict[str, object]]:
    for row in rows:
        yield {name: value for name, value in row.items() if name != "vector"}
