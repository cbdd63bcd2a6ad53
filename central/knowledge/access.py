"""What of the graph a credential sees: the one filter of every answer, and who may write.

A document without a project belongs to the organisation, and only a credential of the whole
organisation sees it. A token of a job sees nothing of the graph.
"""

from typing import Any, Final

from django.db.models import Q, QuerySet

from central.errors import ForbiddenError
from central.knowledge.models import Node
from central.repositories.visibility import visible_parameters, visible_repositories
from central.tenancy.credentials import Credential
from central.tenancy.models import Scope

# The same as `visible_nodes`, as a condition of SQL on a Node `n`.
VISIBLE_NODE: Final = """n.organization_id = %s AND (
    (n.repository_id IS NULL AND %s) OR EXISTS (
        SELECT 1 FROM {repository} r WHERE r.id = n.repository_id AND {visible}))"""


def visible_nodes(*, credential: Credential) -> QuerySet[Node]:
    """Nodes that the credential sees. Raises ForbiddenError (`job_token_refused`)."""
    require_reader(credential)
    visible = Q(repository__in=visible_repositories(credential=credential))
    if credential.sees_all:
        visible |= Q(repository__isnull=True)
    return Node.objects.filter(visible, organization=credential.organization)


def visible_node_parameters(*, credential: Credential) -> list[Any]:
    """What VISIBLE_NODE is asked with. Raises ForbiddenError (`job_token_refused`)."""
    require_reader(credential)
    return [
        credential.organization.pk,
        credential.sees_all,
        *visible_parameters(credential=credential),
    ]


def require_reader(credential: Credential) -> None:
    """Raise ForbiddenError (`job_token_refused`) for a token of a job."""
    if credential.is_job:
        raise ForbiddenError(
            "A job's short-lived token has no access to the knowledge graph. Use an API token.",
            code="job_token_refused",
        )


def require_writer(credential: Credential, *, project: str | None) -> None:
    """Raise ForbiddenError unless the credential may write a node of `project`, None: of none."""
    require_reader(credential)
    credential.require_scope(Scope.INDEX)
    if project is None and not credential.sees_all:
        raise ForbiddenError(
            "Only a credential of the whole organisation may write nodes without a project. Name "
            "a project that this credential sees.",
            code="project_required",
        )
