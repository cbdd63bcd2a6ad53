"""The consumers of a repository, and its definitions that most others use."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from aeterna_code_search.contract.codemap import MostCalledRequest
from central.codemap.answers import Consumer
from central.codemap.consumers import consumers
from central.codemap.most_called import most_called
from central.codemap.requests import ConsumersRequestSerializer
from central.http.parameters import FLAG, query_object
from central.tenancy.credentials import Credential
from central.web.access import member_page
from central.web.urls_for import symbol_url

_CONSUMERS: Final = ConsumersRequestSerializer()
_NUMBERS: Final = {"lags_only": FLAG}


@member_page
def consumers_page(request: HttpRequest, credential: Credential, project: str) -> HttpResponse:
    """`package`, `lags_only`, `min_confidence` and `limit` are as in the API."""
    organization = credential.organization.slug
    given = query_object(request.GET, lists=frozenset(), numbers=_NUMBERS)
    asked = {name: value for name, value in given.items() if value != ""}
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
