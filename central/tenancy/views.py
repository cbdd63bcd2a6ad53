"""Views whose methods answer what a credential asks with a record."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.http.parameters import (
    DECIMAL,
    FLAG,
    INTEGER,
    OrganizationSerializer,
    body_object,
    query_object,
    to_json,
)
from central.http.requests import RequestSerializer
from central.tenancy.authentication import credential_for
from central.tenancy.models import Scope

_Method = Callable[..., Any]
_PATTERNS = {
    serializers.BooleanField: FLAG,
    serializers.FloatField: DECIMAL,
    serializers.IntegerField: INTEGER,
}


class CredentialView(APIView):
    """A view for credentials with a scope."""

    required_scope = Scope.SEARCH


def answers(
    operation_id: str,
    asked: type[OrganizationSerializer],
    responses: Any,
    *,
    in_body: bool = False,
    tag: str = "",
) -> Callable[[_Method], _Method]:
    """Make a handler of a method that takes the credential and what is asked.

    That is the record of a RequestSerializer, and not yet validated of others. `asked` types the
    parameters of the address, or describes the body. `responses` is the answer with 200, or answers
    by status, of which a record has the first. The method returns a record, None, or a response of
    its own. The schema lists it under `tag`, or the first word of `operation_id`.
    """
    status = next(iter(responses)) if isinstance(responses, dict) else HTTPStatus.OK
    serializer = asked()
    fields = serializer.fields
    lists = {name for name, field in fields.items() if isinstance(field, serializers.ListField)}
    numbers = {
        name: pattern
        for name, field in fields.items()
        for kind, pattern in _PATTERNS.items()
        if isinstance(field, kind)
    }

    def decorate(method: _Method) -> _Method:
        @extend_schema(
            operation_id=operation_id,
            tags=[tag or operation_id.partition("_")[0]],
            responses=responses,
            **{"request": asked} if in_body else {"parameters": [asked]},
        )
        @wraps(method)
        def handle(view: APIView, request: Request, **kwargs: Any) -> HttpResponseBase:
            data = (
                body_object(request)
                if in_body
                else query_object(request.query_params, lists=frozenset(lists), numbers=numbers)
            )
            credential = credential_for(request, data.get("org_id"))
            if isinstance(serializer, RequestSerializer):
                data = serializer.read(data)
            found = method(view, credential, data, **kwargs)
            if isinstance(found, HttpResponseBase):
                return found
            return Response(to_json(found), status=status)

        return handle

    return decorate
