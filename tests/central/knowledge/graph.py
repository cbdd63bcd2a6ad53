"""Asking the graph over HTTP, as one token does."""

from typing import Any
from urllib.parse import urlencode

from tests.central.protocol import Api

ADR: dict[str, Any] = {
    "kind": "knowledge",
    "id": "ADR-042",
    "title": "Use PostgreSQL",
    "body": "Everything is *there*.",
}


def graph(
    api: Api, method: str, path: str, body: dict[str, Any] | None = None, **headers: str
) -> Any:
    """A request below /api/v1/graph/ in the name of the token's organisation."""
    slug = api.organization.slug
    if body is not None:
        return api.request(method, f"/api/v1/graph/{path}", {"org_id": slug} | body, **headers)
    separator = "&" if "?" in path else "?"
    return api.request(
        method, f"/api/v1/graph/{path}{separator}{urlencode({'org_id': slug})}", **headers
    )


def created(api: Api, **members: Any) -> str:
    """A new document; its unambiguous id."""
    answer = graph(api, "POST", "nodes", members)
    assert answer.status_code == 201, answer.content
    name: str = answer.json()["nodes"][0]["id"]
    return name


def linked(api: Api, source: str, kind: str, target: str, **members: Any) -> None:
    """An explicit edge."""
    answer = graph(api, "POST", "links", {"from": source, "type": kind, "to": target} | members)
    assert answer.status_code in (200, 201), answer.content


def reached(api: Api, source: str, **query: Any) -> set[str]:
    """Ids of the nodes that a walk from `source` reaches."""
    parameters = urlencode({"from": source, **query}, doseq=True)
    answer = graph(api, "GET", f"traverse?{parameters}")
    assert answer.status_code == 200, answer.content
    return {item["node"]["id"] for item in answer.json()["nodes"] if item["distance"]}
