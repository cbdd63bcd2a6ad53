"""`/api/v1/search`: parse, call, answer."""

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from django.http import QueryDict
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.common.errors import InvalidError
from central.repositories.sight import AnsweringProject, MissingProject
from central.search.answers import Answer, Receipt, Result
from central.search.serializers import SearchAnswerSerializer, SearchRequestSerializer
from central.search.services import search
from central.tenancy.models import Scope
from central.tenancy.permissions import credential_in

_REQUESTS = SearchRequestSerializer()
_LISTS = frozenset({"queries", "include_projects", "exclude_projects"})
_INTEGER = re.compile(r"-?[0-9]{1,9}")
_DECIMAL = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,18})?")
_NUMBERS: Mapping[str, tuple[re.Pattern[str], Callable[[str], float]]] = {
    "limit": (_INTEGER, int),
    "expand": (_INTEGER, int),
    "max_content": (_INTEGER, int),
    "min_similarity": (_DECIMAL, float),
}


class SearchView(APIView):
    """Search every repository of the organisation that the credential sees."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="search",
        request=SearchRequestSerializer,
        responses=SearchAnswerSerializer,
        tags=["search"],
    )
    def post(self, request: Request) -> Response:
        """Search with a JSON body."""
        if not isinstance(request.data, dict):
            raise InvalidError("The body must be a JSON object.")
        return _respond(request, request.data)

    @extend_schema(
        operation_id="search_by_address",
        parameters=[SearchRequestSerializer],
        responses=SearchAnswerSerializer,
        tags=["search"],
    )
    def get(self, request: Request) -> Response:
        """Search with query parameters; lists are given by repeating a parameter."""
        return _respond(request, _parameters(request.query_params))


def _respond(request: Request, data: Mapping[str, Any]) -> Response:
    credential = credential_in(request)
    org_id = data.get("org_id")
    if isinstance(org_id, str):
        credential.require_organization(org_id)  # before anything is said about the rest
    answer = search(credential=credential, request=_REQUESTS.search_request(data))
    return Response(_document(answer))


def _document(answer: Answer) -> dict[str, Any]:
    """The answer as JSON's types. `dataclasses.asdict` copies deeply: a millisecond a page."""
    receipt = _members(answer.receipt)
    receipt["projects"] = [_members(item) for item in answer.receipt.projects]
    receipt["missing"] = [_members(item) for item in answer.receipt.missing]
    results = [_members(result) for result in answer.results]
    return {**_members(answer), "results": results, "receipt": receipt}


def _members(
    record: Answer | Receipt | Result | AnsweringProject | MissingProject,
) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _parameters(query: QueryDict) -> dict[str, Any]:
    """Query parameters in the types that JSON would have given them."""
    last = query.dict()
    return {
        name: query.getlist(name) if name in _LISTS else _value(name, str(last[name]))
        for name in query
    }


def _value(name: str, text: str) -> str | float:
    """`text` as a number where one is meant; as it is where it is none, to be refused."""
    if name not in _NUMBERS:
        return text
    pattern, number = _NUMBERS[name]
    return number(text) if pattern.fullmatch(text) else text
