"""The kinds of credentials: a token for programs, and a session of a person with the same rights.

They ask the whole application over HTTP, in the test's transaction; what a request changes is
rolled back.
"""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from threading import Thread
from typing import Any, Final

import pytest
import uvicorn
from django.contrib.auth.models import User
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connection, transaction
from django.test import Client

from central.asgi import Application
from central.repositories.models import Visibility
from central.tenancy.models import ApiToken, Organization, Role, Scope
from tests.central.factories import ApiTokenFactory, MembershipFactory, UserFactory
from tests.central.isolation.requests import Request
from tests.central.isolation.world import HIDDEN, KEYS, OPEN, SETTINGS, WHOLE
from tests.central.mcp.agent import threads_in_transaction
from tests.waiting import wait_until

ACME: Final = frozenset({HIDDEN, OPEN, WHOLE, SETTINGS})
ALL_BUT_OPEN: Final = ACME - {OPEN}
_CSRF: Final = "c" * 32


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who asks; `hidden` are the words that no answer may hold."""

    name: str
    hidden: frozenset[str]
    token: str = ""
    session: str = ""

    def is_asked(self, request: Request) -> bool:
        """Whether it has a credential for such requests; "none" is a kind, too."""
        if self.name in {"staff", "a superuser"}:
            return request.route.startswith(("admin/", "o/"))
        return bool(self.session or request.is_of_program or self.name == "none")

    def headers(self, request: Request) -> dict[str, str]:
        """Programs have the token, browsers the session."""
        if request.is_of_program:
            accepted = {"Accept": "application/json, text/event-stream, */*;q=0.1"}
            return accepted | ({"Authorization": f"Bearer {self.token}"} if self.token else {})
        cookies = f"csrftoken={_CSRF}" + (f"; sessionid={self.session}" if self.session else "")
        return {"Cookie": cookies, "X-CSRFToken": _CSRF}


def strangers() -> list[Caller]:
    """Those who have nothing to do with acme."""
    globex = Organization.objects.get(slug="globex")
    staff = UserFactory.create(username="staff", is_staff=True)
    return [
        Caller("none", ACME),
        Caller("another organisation", ACME, **_credentials("stranger", globex, Role.ADMIN)),
        Caller("staff", ACME, session=_session(staff)),
    ]


def limited() -> list[Caller]:
    """Those who see the open repository alone."""
    acme = Organization.objects.get(slug="acme")
    one = {"repositories": [f"{OPEN}-kit"]}
    public = {"visibilities": [Visibility.PUBLIC]}
    return [
        Caller("one repository", ALL_BUT_OPEN, **_credentials("one", acme, Role.ADMIN, **one)),
        Caller("public ones", ALL_BUT_OPEN, **_credentials("public", acme, Role.ADMIN, **public)),
        Caller("a job", ALL_BUT_OPEN, token=_job_token(acme)),
    ]


def members() -> list[Caller]:
    """Those who see all repositories; a superuser is asked about the admin."""
    acme = Organization.objects.get(slug="acme")
    superuser = UserFactory.create(username="root", is_staff=True, is_superuser=True)
    return [
        Caller("a member", frozenset({SETTINGS}), **_credentials("member", acme, Role.MEMBER)),
        Caller("an admin", frozenset(), **_credentials("admin", acme, Role.ADMIN)),
        Caller("a superuser", frozenset(), session=_session(superuser)),
    ]


def _credentials(name: str, organization: Organization, role: Role, **limits: Any) -> Any:
    """A token and a session with the same rights.

    The token is limited to repositories itself; to visibilities, or to a role, as its owner is.
    """
    user = UserFactory.create(username=name)
    MembershipFactory.create(user=user, organization=organization, role=role, **limits)
    is_personal = role is Role.MEMBER or "visibilities" in limits
    token = f"aet_{name:0>43}"
    ApiTokenFactory.create(
        organization=organization,
        token=token,
        scopes=list(Scope),
        owner=user if is_personal else None,
        repositories=limits.get("repositories"),
    )
    return {"token": token, "session": _session(user)}


def _session(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value


def _job_token(acme: Organization) -> str:
    token = f"aet_{'job':0>43}"
    made = ApiTokenFactory.create(organization=acme, token=token, scopes=list(Scope))
    bound = {"bound_repository_id": KEYS[OPEN], "bound_project": f"{OPEN}-kit"}
    bound |= {"bound_visibility": "public", "bound_ref": "refs/heads/main"}
    ApiToken.objects.filter(pk=made.pk).update(is_short_lived=True, bound_commit="a" * 40, **bound)
    return token


@dataclass(frozen=True, slots=True)
class Answer:
    """What was sent, and the tables that were written, which is looked at unless it is a GET."""

    status: int
    head: str
    body: str
    written: frozenset[str]

    @property
    def is_refusal(self) -> bool:
        """Whether there is nothing of what was asked for; a tool says so in words."""
        return self.status in {302, 400, 401, 403, 404, 405} or '"isError":true' in self.body

    def alike(self) -> str:
        """What equal answers have in common: without ids, times and secrets of their own."""
        head = re.findall(r"(?im)^(?:location|content-type|allow): .*$", self.head)
        own = re.findall(r"(?im)^x-request-id: (.*)$", self.head)
        text = "\n".join([str(self.status), *head, self.body])
        return _OF_ITS_OWN.sub("…", text.replace(own[0], "…") if own else text)


_OF_ITS_OWN: Final = re.compile(
    r"\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|\+00:00)?|<time [^>]*>[^<]*</time>"
    r"|\"(?:took_ms|searchTimeMs)\":[\d.]+|(?:[\d.,]+ (?:ms|s|min|h)\b ?)+|/account/tokens/\d+/"
    r"|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"  # of a new run, for example
    r"|whsec_[\w+/=]+|name=\"csrfmiddlewaretoken\" value=\"\w+\""
)
_WRITTEN: Final = """SELECT relname, n_tup_ins + n_tup_upd + n_tup_del
    FROM pg_stat_xact_user_tables WHERE n_tup_ins + n_tup_upd + n_tup_del > 0"""


def _written() -> frozenset[tuple[str, int]]:
    """The tables that this transaction has written, and how many rows."""
    with connection.cursor() as cursor:
        cursor.execute(_WRITTEN)
        return frozenset(cursor.fetchall())


@dataclass(frozen=True, slots=True)
class Server:
    """The application behind uvicorn, as `central.serve` has it."""

    http: HTTPConnection

    def ask(self, caller: Caller, request: Request) -> Answer:
        """The answer; what the request changed is rolled back."""
        kind = {"Content-Type": request.kind} if request.kind else {}
        is_read = request.method == "GET"
        with transaction.atomic():
            before = frozenset() if is_read else _written()
            headers = {**caller.headers(request), **kind}
            self.http.request(request.method, request.address, request.body, headers)
            response = self.http.getresponse()
            body = response.read().decode("utf-8", "replace")
            written = frozenset() if is_read else _written() - before
            transaction.set_rollback(True)
        names = frozenset(name for name, _ in written)
        return Answer(response.status, str(response.headers), body, names)


@contextmanager
def running_server() -> Iterator[Server]:
    """A server whose one request thread has the connection of the test."""
    with threads_in_transaction() as threads, _connections_kept():
        config = uvicorn.Config(Application(threads), port=0, log_config=None, access_log=False)
        running = uvicorn.Server(config)
        thread = Thread(target=running.run)
        thread.start()
        try:
            wait_until(lambda: running.started, "the server did not start")
            port = running.servers[0].sockets[0].getsockname()[1]
            with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as http:
                yield Server(http)
        finally:
            running.should_exit = True
            thread.join(60)


@contextmanager
def _connections_kept() -> Iterator[None]:
    """A request does not end the connection, which is the test's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("central.http.asgi.close_old_connections", lambda: None)
        for signal in (request_started, request_finished):  # as Django's test client does
            signal.disconnect(close_old_connections)
        try:
            yield
        finally:
            for signal in (request_started, request_finished):
                signal.connect(close_old_connections)
