"""The map of an organisation: a picture, and its links as a table."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from central.codemap.answers import CodeMap
from central.codemap.map import code_map
from central.codemap.requests import LEVELS, MapRequestSerializer
from central.http.parameters import query_object
from central.tenancy.credentials import Credential
from central.trace.requests import CONFIDENCES
from central.web.access import member_page

_MAP: Final = MapRequestSerializer()


@member_page
def map_page(request: HttpRequest, credential: Credential) -> HttpResponse:
    """`project`, `level`, `min_confidence` and `limit` are as in the API."""
    organization = credential.organization.slug
    given = query_object(request.GET, lists=frozenset(), numbers={})
    asked = {name: value for name, value in given.items() if value != ""}
    query = {"project": "", **_MAP.checked(_MAP.known({**asked, "org_id": organization}))}
    answer = code_map(credential=credential, **query)
    nodes = {one.id: one for one in answer.nodes}
    context = {
        "section": "map",
        "asked": query,
        "levels": LEVELS,
        "confidences": CONFIDENCES,
        "answer": answer,
        "rows": [(one, nodes[one.source], nodes[one.target]) for one in answer.links],
        "drawn": _drawn(answer, reverse("web:map", args=[organization]), query["level"]),
    }
    return render(request, "web/map.html", context)


def _drawn(answer: CodeMap, address: str, level: str) -> dict[str, Any]:
    """Return what map.js draws."""
    return {
        "address": address,
        "level": level,
        "nodes": [
            {
                "id": one.id,
                "name": one.package or one.id,
                "project": one.project,
                "users": one.users,
            }
            for one in answer.nodes
        ],
        "links": [
            {
                "source": one.source,
                "target": one.target,
                "weight": one.calls + one.imports,
                "cycle": one.cycle is not None,
                "lags": any(version.lags for version in one.versions),
            }
            for one in answer.links
        ],
    }
