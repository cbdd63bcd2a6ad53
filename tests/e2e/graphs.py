"""The knowledge graph of a running service, for tests: documents in, and no sleep until linked."""

from typing import Any

from scripts.local_service import Organization
from tests.waiting import wait_until

NO_PANIC: dict[str, Any] = {
    "kind": "policy",
    "id": "POL-1",
    "title": "No panic!() in production code",
    "policy": {
        "rule": "rule: {pattern: 'panic!($$$)'}",
        "language": "rust",
        "exclude": ["tests/"],
        "severity": "error",
        "message": "Return an error instead.",
    },
}


def add_node(organization: Organization, **members: Any) -> str:
    """Store a document; its unambiguous id."""
    name: str = organization.post("graph/nodes", **members)["nodes"][0]["id"]
    return name


def wait_until_linked(organization: Organization, *projects: str) -> None:
    """Wait until no receipt says that the code of `projects` is not linked yet."""
    for project in projects:
        wait_until(lambda name=project: not _reasons(organization, name))


def _reasons(organization: Organization, project: str) -> list[str]:
    answer = organization.get("graph/violations", project=project)
    return [row["reason"] for row in answer["receipt"]["missing"]]
