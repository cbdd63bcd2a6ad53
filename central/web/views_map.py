"""The map of an organisation: a picture, and its links as a table."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from aeterna_code_search.contract.codemap import CODES, KINDS, LEFT_OUT, LEVELS, MORE_KINDS
from aeterna_code_search.contract.trace import CONFIDENCES
from central.codemap.answers import CodeMap
from central.codemap.map import code_map
from central.codemap.requests import MapRequestSerializer, UnusedRequestSerializer
from central.codemap.unused import unused as unused_of
from central.http.parameters import INTEGER, query_object
from central.tenancy.credentials import Credential
from central.web.access import member_page
from central.web.urls_for import file_url, symbol_url

_MAP: Final = MapRequestSerializer()
_UNUSED: Final = UnusedRequestSerializer()
_LISTS: Final = frozenset({"kind", "include", "doubts"})


@member_page
def map_page(request: HttpRequest, credential: Credential) -> HttpResponse:
    """`project`, `level`, `min_confidence` and `limit` are as in the API."""
    organization = credential.organization.slug
    given = query_object(request.GET, lists=frozenset(), numbers={"limit": INTEGER})
    asked = {name: value for name, value in given.items() if value != ""}
    wanted = _MAP.read(_MAP.known({**asked, "org_id": organization}))
    answer = code_map(credential=credential, request=wanted)
    nodes = {node.id: node for node in answer.nodes}
    context = {
        "section": "map",
        "asked": wanted,
        "levels": LEVELS,
        "confidences": CONFIDENCES,
        "answer": answer,
        "rows": [(link, nodes[link.source], nodes[link.target]) for link in answer.links],
        "drawn": _drawn(answer, reverse("web:map", args=[organization]), wanted.level),
    }
    return render(request, "web/map.html", context)


@member_page
def unused_page(request: HttpRequest, credential: Credential) -> HttpResponse:
    """`project`, `kind`, `include`, `doubts` and `cursor` are as in the API."""
    organization = credential.organization.slug
    given = query_object(request.GET, lists=_LISTS, numbers={"limit": INTEGER})
    asked = {name: value for name, value in given.items() if value not in ("", [""])}
    query = _UNUSED.known({**asked, "org_id": organization})
    wanted = _UNUSED.read(query)
    answer = unused_of(credential=credential, request=wanted)
    context = {
        "section": "map",
        "asked": wanted,
        "is_sure": wanted.doubts == ("published",),
        "kinds": (*KINDS, *MORE_KINDS),
        "kind": wanted.kind[0] if len(wanted.kind) == 1 else "",
        "left_out": LEFT_OUT,
        "answer": answer,
        "rows": [
            (
                definition,
                file_url(organization, definition.project, definition.file, definition.line),
                symbol_url(
                    organization,
                    definition.qualified_name,
                    project=definition.project,
                    file=definition.file,
                    line=definition.line,
                ),
                [(doubt, CODES[doubt.code]) for doubt in definition.doubts],
            )
            for definition in answer.definitions
        ],
    }
    return render(request, "web/unused.html", context)


def _drawn(answer: CodeMap, address: str, level: str) -> dict[str, Any]:
    """Return what map.js draws."""
    return {
        "address": address,
        "level": level,
        "nodes": [
            {
                "id": node.id,
                "name": node.package or node.id,
                "project": node.project,
                "users": node.users,
            }
            for node in answer.nodes
        ],
        "links": [
            {
                "source": link.source,
                "target": link.target,
                "weight": link.calls + link.imports,
                "cycle": link.cycle is not None,
                "lags": any(version.lags for version in link.versions),
            }
            for link in answer.links
        ],
    }
