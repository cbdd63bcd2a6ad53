"""What repositories use of one another: the map, consumers of one, and what nothing uses."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from aeterna_code_search.contract.codemap import (
    CODES,
    KINDS,
    LEFT_OUT,
    LEVELS,
    MORE_KINDS,
    MostCalledRequest,
)
from aeterna_code_search.contract.trace import CONFIDENCES
from central.codemap.answers import CodeMap, Consumer
from central.codemap.consumers import consumers
from central.codemap.map import code_map
from central.codemap.most_called import most_called
from central.codemap.requests import (
    ConsumersRequestSerializer,
    MapRequestSerializer,
    UnusedRequestSerializer,
)
from central.codemap.unused import unused as unused_of
from central.http.parameters import FLAG, INTEGER
from central.tenancy.credentials import Credential
from central.web.access import member_page
from central.web.urls_for import file_url, given_in, symbol_url

_MAP: Final = MapRequestSerializer()
_UNUSED: Final = UnusedRequestSerializer()
_CONSUMERS: Final = ConsumersRequestSerializer()
_NUMBERS: Final = {"limit": INTEGER}


@member_page
def map_page(request: HttpRequest, credential: Credential) -> HttpResponse:
    """`project`, `level`, `min_confidence` and `limit` are as in the API."""
    organization = credential.organization.slug
    asked = given_in(request, numbers=_NUMBERS)
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
    asked = given_in(request, lists=("kind", "include", "doubts"), numbers=_NUMBERS)
    wanted = _UNUSED.read(_UNUSED.known({**asked, "org_id": organization}))
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


@member_page
def consumers_page(request: HttpRequest, credential: Credential, project: str) -> HttpResponse:
    """`package`, `lags_only`, `min_confidence` and `limit` are as in the API."""
    organization = credential.organization.slug
    asked = given_in(request, numbers={"lags_only": FLAG})
    body = _CONSUMERS.known({**asked, "org_id": organization, "project": project})
    query = _CONSUMERS.read(body)
    answer = consumers(credential=credential, request=query)
    most = most_called(
        credential=credential, request=MostCalledRequest(query.min_confidence, project)
    )
    context = {
        "section": "repositories",
        "project": project,
        "query": query,
        "answer": answer,
        "rows": [
            (consumer, _used(consumer, organization, project)) for consumer in answer.consumers
        ],
        "most": most,
        "definitions": [
            (
                definition,
                symbol_url(organization, definition.name, project=project, file=definition.file),
            )
            for definition in most.definitions
        ],
    }
    return render(request, "web/consumers.html", context)


def _used(consumer: Consumer, organization: str, project: str) -> list[tuple[object, str]]:
    return [
        (used, symbol_url(organization, used.name, project=project, file=used.file))
        for used in consumer.definitions
    ]
