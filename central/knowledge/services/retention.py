"""What of the graph goes with a repository that is purged, and into an organisation's export."""

from collections.abc import Iterable, Iterator
from typing import Final

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
from central.maintenance.repository_deletion import deletion
from central.tenancy.models import Organization

_OF_NODES: Final = "{column} IN (SELECT id FROM {node} WHERE repository_id = %s)"
# Of a repository, whose key is the parameter; dependents first.
DELETIONS: Final = (
    *(
        deletion(model, _OF_NODES, column=column, node=Node)
        for model, column in (
            (Edge, "source_id"),
            (Edge, "target_id"),
            (PolicyCheck, "policy_id"),
            (Policy, "document_id"),
            (Document, "node_id"),
        )
    ),
    *(deletion(model, "repository_id = %s") for model in (PolicyCheck, Mention, CodeLinks, Node)),
)


def export_members(organization: Organization) -> Iterator[tuple[str, Iterable[object]]]:
    """Members of an export: nodes, documents without vectors, policies, edges."""
    nodes = Node.objects.filter(organization=organization)
    documents = Document.objects.filter(node__in=nodes).defer("vector")
    yield "graph/nodes.ndjson", rows_of(nodes)
    yield "graph/documents.ndjson", rows_of(documents)
    yield "graph/policies.ndjson", rows_of(Policy.objects.filter(document__node__in=nodes))
    yield "graph/edges.ndjson", rows_of(Edge.objects.filter(organization=organization))
