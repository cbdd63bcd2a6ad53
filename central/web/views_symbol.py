"""A symbol: its definitions, who uses them, and what they use."""

from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from central.common.errors import NotFoundError
from central.tenancy.credentials import Credential
from central.trace.answers import Callees, Callers
from central.trace.serializers import CalleesRequestSerializer, CallersRequestSerializer
from central.trace.services.tracing import callees, callers, callers_and_callees
from central.web.about import about
from central.web.access import member_page
from central.web.tracing import (
    Group,
    callees_by_project,
    callers_by_project,
    choices,
    form_context,
    nowhere,
    trace_query,
    with_places,
)

_CALLERS: Final = CallersRequestSerializer()
_CALLEES: Final = CalleesRequestSerializer()


@dataclass(frozen=True, slots=True)
class _Direction:
    """One half of the page."""

    name: str
    title: str
    answer: Callers | Callees
    groups: list[Group]


@member_page
def symbol(request: HttpRequest, credential: Credential) -> HttpResponse:
    """Both directions, or one by `direction`, which alone has further pages; a form without name.

    Without a definition of that name: 404, with names that are like it.
    """
    organization = credential.organization.slug
    query = trace_query(request, organization=organization)
    context = form_context(organization, query)
    if not query["symbol"]:
        return render(request, "web/symbol_form.html", context)
    try:
        directions = _directions(credential, query)
    except NotFoundError as exc:
        return render(request, "web/symbol_form.html", context | nowhere(exc), status=404)
    first = directions[0].answer
    context |= {
        "directions": directions,
        "choices": choices(first.definitions, organization=organization),
        "about": about(
            credential,
            [(one.project, one.file, one.qualified_name) for one in first.definitions],
        ),
        "receipt": first.receipt,
        "unresolved": with_places(first.receipt.unresolved.sample, organization=organization),
    }
    return render(request, "web/symbol.html", context)


def _directions(credential: Credential, query: dict[str, Any]) -> list[_Direction]:
    wanted = query.get("direction")
    upwards, downwards = _CALLERS.trace_request(query), _CALLEES.trace_request(query)
    if wanted == "callers":
        return [_up(credential, callers(credential=credential, request=upwards))]
    if wanted == "callees":
        return [_down(credential, callees(credential=credential, request=downwards))]
    up, down = callers_and_callees(credential=credential, upwards=upwards, downwards=downwards)
    return [_up(credential, up), _down(credential, down)]


def _up(credential: Credential, answer: Callers) -> _Direction:
    groups = callers_by_project(answer.callers, organization=credential.organization.slug)
    return _Direction("callers", "Callers", answer, groups)


def _down(credential: Credential, answer: Callees) -> _Direction:
    groups = callees_by_project(answer.callees, organization=credential.organization.slug)
    return _Direction("callees", "Callees", answer, groups)
