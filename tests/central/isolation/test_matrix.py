"""Every route and every tool, asked with every kind of credential.

There is no list of routes here: a new one is asked by itself, once `requests.fields` knows its
parts and fields.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from central.trace.stored.follower import CallEdges
from tests.central.isolation.callers import (
    ACME,
    Answer,
    Caller,
    Server,
    limited,
    members,
    running_server,
    strangers,
)
from tests.central.isolation.requests import (
    UNFILLED,
    Request,
    fields,
    mcp_request,
    operations,
    requests_of,
    requests_of_tools,
    routes,
)
from tests.central.isolation.world import HIDDEN, OPEN, SETTINGS, build, unmarked

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(900)]  # all is asked for the first test

Asked = tuple[str, Request]  # the caller's name

# Routes that know no organisation, and those of the person who is signed in.
OPEN_ROUTES = {
    *("livez", "readyz", "metrics", "api/v1/schema", "api/v1/docs", "sign-in", "sign-out"),
    *("theme", "sso", "sso/callback", "invitation", "invitation/accept", "invitation/account"),
    *("admin/", "admin/login/", "admin/jsi18n/", "admin/search/", "admin/password_change/done/"),
    *("", "account", "account/password", "account/tokens"),
}
# An id token, a signature, a key of the server or a provider says who asks, or the row is of
# another person; not what is tried here.
OTHERWISE = {
    *("metrics", "account/tokens/<int:token_id>/revoke"),
    *("api/v1/auth/github-oidc", "api/v1/github/webhook", "api/v1/index/updated"),
    *("internal/dump-index", "internal/local-token", "internal/reconcile", "sso", "sso/callback"),
}
# Their answers have no text of an organisation, or lead to a page that has.
SILENT = {
    "o/<slug:organization>/r/<str:project>/reference/<file:path>/<int:line>/<int:column>",
    *(
        "api/v1/alerts/test",
        "api/v1/trace/models",
        "api/v1/schema",
        "api/v1/docs",
        "api/v1/graph/links",
    ),
    *("mcp graph_link", "o/<slug:organization>/query"),
    "o/<slug:organization>/settings/alerts/remove",
    "o/<slug:organization>/settings/invitations/<int:invitation_id>/revoke",
    "o/<slug:organization>/settings/repositories/<str:project>/remove",
}
USED = {"django_session", "tenancy_apitoken"}  # when a credential was used last


@dataclass
class Matrix:
    """What came of all requests."""

    requests: list[Request] = field(default_factory=list)
    callers: dict[str, Caller] = field(default_factory=dict)
    answers: dict[Asked, Answer] = field(default_factory=dict)  # without their bodies
    words: dict[Asked, frozenset[str]] = field(default_factory=dict)
    refused: set[Asked] = field(default_factory=set)
    texts: dict[Asked, str] = field(default_factory=dict)
    differing: list[str] = field(default_factory=list)

    def ask(self, server: Server, callers: Iterable[Caller]) -> None:
        """Ask everything."""
        for caller in callers:
            self.callers[caller.name] = caller
            for request in filter(caller.is_asked, requests_for(caller, self.requests)):
                answer = server.ask(caller, request)
                told = request.unrepeated(f"{answer.head}\n{answer.body}")
                asked = (caller.name, request)
                self.answers[asked] = Answer(answer.status, "", "", answer.written)
                self.words[asked] = frozenset(word for word in ACME if word in told)
                if answer.is_refusal:
                    self.refused.add(asked)
                if OPEN in caller.hidden or HIDDEN in caller.hidden:
                    self.texts[asked] = answer.alike()

    def compare(self, server: Server, callers: Iterable[Caller]) -> None:
        """Ask the same in another world, and note where the answers are not alike."""
        for caller in callers:
            for request in filter(is_compared, self.requests):
                if before := self.texts.get((caller.name, request)):
                    after = server.ask(caller, request).alike()
                    if before != after:
                        self.differing.append(_difference(caller, request, before, after))

    def shown(self, asked: Iterable[Asked]) -> list[str]:
        """What a failed assertion says."""
        return [
            f"{self.answers[name, request].status} {name}: {request.method} {request.address} "
            f"{sorted(self.words[name, request])}"
            for name, request in asked
        ]


def requests_for(caller: Caller, requests: Iterable[Request]) -> list[Request]:
    """All, if what a caller sees depends on what is asked.

    Nothing is hidden from an admin, whose answers show that there is something to hide: one of each
    route and method. Strangers are refused each address, of tools each call; what else they ask,
    in a query or a body, does not vary: of each address the longest, about either repository.
    """
    if caller.hidden and OPEN not in caller.hidden:
        return list(requests)
    if not caller.hidden:
        return list({(one.route, one.method): one for one in reversed(list(requests))}.values())
    longest: dict[tuple[object, ...], Request] = {}
    for request in sorted(requests, key=lambda one: len(one.address) + len(one.body)):
        is_hidden = HIDDEN in request.address or HIDDEN.encode() in request.body
        what = request.body if request.route.startswith("mcp ") else is_hidden
        longest[request.route, request.method, request.address.partition("?")[0], what] = request
    return list(longest.values())


def is_compared(request: Request) -> bool:
    """Not the admin, which these callers may not open, nor numbers of the whole service."""
    return not request.route.startswith(("admin/", "metrics"))


def _difference(caller: Caller, request: Request, before: str, after: str) -> str:
    pairs = enumerate(zip(before, after, strict=False))
    same = next((n for n, (one, other) in pairs if one != other), min(len(before), len(after)))
    shown = [text[max(0, same - 60) : same + 60] for text in (before, after)]
    return f"{caller.name}: {request.method} {request.address} {request.body[:200]!r}: {shown}"


@contextmanager
def world(*, has_hidden: bool = True, has_acme: bool = True) -> Iterator[Server]:
    with transaction.atomic():
        build(has_hidden=has_hidden, has_acme=has_acme)
        CallEdges().follow()
        with running_server() as server:
            yield server
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def matrix(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Matrix:
    found = Matrix()
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("central.web.access.CHANGES", "off")  # the rate of changes of settings
        # Measured once: an estimate depends on what all repositories take, also on dead rows.
        patch.setattr("central.repositories.disk_usage._SECONDS", None)
        with world() as server:
            everybody = [*strangers(), *limited(), *members()]
            admin = next(caller for caller in everybody if caller.name == "an admin")
            found.requests = [*_requests(), *requests_of_tools(_tools(server, admin))]
            found.ask(server, everybody)
        with world(has_hidden=False) as server:
            found.compare(server, limited())
        with world(has_acme=False) as server:
            found.compare(server, strangers())
    return found


def _requests() -> Iterator[Request]:
    described = operations()
    for route in sorted(set(routes())):
        yield from requests_of(route, described)


def _tools(server: Server, admin: Caller) -> list[dict[str, Any]]:
    body = server.ask(admin, mcp_request("mcp", "tools/list", {})).body
    (data,) = [line for line in body.splitlines() if line.startswith("data:")]
    tools: list[dict[str, Any]] = json.loads(data.removeprefix("data:"))["result"]["tools"]
    return tools


def test_every_column_of_the_hidden_rows_has_their_word() -> None:
    build()
    assert unmarked() == set()


def test_every_field_of_the_schema_is_filled_or_left_out_on_purpose() -> None:
    named = {
        name
        for operation in operations().values()
        for name in (
            *(one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"),
            *operation.get("body", ("", {}))[1],
        )
    }
    assert named - fields(HIDDEN).keys() == UNFILLED


def test_no_request_is_an_error_of_ours(matrix: Matrix) -> None:
    failed = [asked for asked, answer in matrix.answers.items() if answer.status >= 500]
    assert matrix.shown(failed) == []


def test_nobody_is_told_a_word_of_what_is_hidden(matrix: Matrix) -> None:
    hidden = {name: caller.hidden for name, caller in matrix.callers.items()}
    told = [asked for asked, words in matrix.words.items() if words & hidden[asked[0]]]
    assert matrix.shown(told) == []


def test_who_has_no_right_is_refused_and_writes_nothing(matrix: Matrix) -> None:
    """Strangers everywhere, and others wherever an address names what they do not see."""
    asked = [one for one in matrix.answers if is_refusable(matrix.callers[one[0]], one[1])]
    assert matrix.shown(one for one in asked if one not in matrix.refused) == []
    assert matrix.shown(one for one in asked if matrix.answers[one].written - USED) == []


def is_refusable(caller: Caller, request: Request) -> bool:
    if OPEN in caller.hidden:  # a tool is asked about the caller's own organisation, too
        return request.route not in OPEN_ROUTES and not request.route.startswith("mcp")
    if SETTINGS in caller.hidden and request.route.startswith("o/<slug:organization>/settings"):
        return True
    return HIDDEN in caller.hidden and request.names_hidden


def test_without_a_token_a_program_is_told_that_one_is_missing(matrix: Matrix) -> None:
    statuses = {
        answer.status
        for (name, request), answer in matrix.answers.items()
        if name == "none" and request.is_of_program and request.route not in OPEN_ROUTES | OTHERWISE
    }
    assert statuses == {401}


def test_a_job_is_refused_by_all_of_the_graph(matrix: Matrix) -> None:
    asked = [
        one
        for one in matrix.answers
        if one[0] == "a job" and one[1].route.startswith(("api/v1/graph", "mcp graph"))
    ]
    assert len({request.route for _, request in asked}) == 16
    assert matrix.shown(one for one in asked if one not in matrix.refused) == []


def test_who_sees_a_part_is_answered_as_if_the_rest_did_not_exist(matrix: Matrix) -> None:
    """And a stranger as if the organisation did not."""
    assert matrix.differing == [], "\n".join(matrix.differing)


def test_each_route_answers_and_tells_those_who_may_know(matrix: Matrix) -> None:
    """Else the other tests would prove nothing."""
    every = {request.route for request in matrix.requests}
    reached = {
        request.route
        for (name, request), answer in matrix.answers.items()
        if name in {"a member", "an admin", "a superuser"} and answer.status < 400
    }
    assert every - reached == OTHERWISE
    telling = {request.route for (_, request), words in matrix.words.items() if words}
    silent = {route for route in every - telling if route.startswith(("api/", "mcp", "o/"))}
    assert silent - OTHERWISE == SILENT
