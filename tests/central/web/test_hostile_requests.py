"""Whatever a request says, it is answered: no header, cookie, path or field is an error of ours.

A table of hostile values over every route of the URL map, as a stranger and signed in, through all
middleware. A route that is added is walked by itself. Raw bytes: tests/e2e/test_hostile_bytes.py.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import cycle
from uuid import UUID

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.central.factories import MembershipFactory, UserFactory
from tests.central.isolation.requests import routes

pytestmark = pytest.mark.django_db

URLS = (
    "http://[x",
    "http://[::1",
    "//",
    "http://testserver:port/",
    "\\\\x",
    "http://é\xff/",
    "null",
)
TEXTS = ("", "\x00", "\xff\xfe", "x" * 8_000, "'\"<>&;=,", "%", "%zz%00", "é", "\x7f")
HEADERS: dict[str, tuple[str, ...]] = {
    "HOST": (*URLS, *TEXTS, "testserver:99999999", "a..b", "[::1"),
    "ORIGIN": (*URLS, *TEXTS),
    "REFERER": (*URLS, *TEXTS),
    "HX_CURRENT_URL": (*URLS, *TEXTS),
    "HX_CURRENT_URL_URI_AUTOENCODED": ("true",),
    "HX_TARGET": TEXTS,
    "HX_TRIGGER": TEXTS,
    "TRIGGERING_EVENT": ("{", "[" * 4_000, *TEXTS),
    "X_FORWARDED_FOR": ("x, [::", *TEXTS),
    "X_FORWARDED_HOST": (*URLS, *TEXTS),
    "X_FORWARDED_PROTO": TEXTS,
    "X_REQUEST_ID": TEXTS,
    "ACCEPT": ("*/*;q=x", "a", "/", ";", "*/json", "text/html;version=\xff", *TEXTS),
    "ACCEPT_LANGUAGE": ("*" * 2_000, "de;q=9e999", *TEXTS),
    "ACCEPT_ENCODING": ("gzip;q=nan", "br;q=", *TEXTS),
    "CONTENT_TYPE": (
        "application/json; charset=x",
        "application/json; charset=utf-7",
        "application/json; charset",
        "text/html; charset=\xff",
        "multipart/form-data",
        "multipart/form-data; boundary=\xff",
        "application/x-www-form-urlencoded; charset=base64",
        "application/x-www-form-urlencoded; charset=utf-16",
        *TEXTS,
    ),
    "COOKIE": (
        "sessionid=\xff",
        "sessionid=" + "x" * 8_000,
        "sessionid=a:b:c",
        "csrftoken=\x00",
        "csrftoken=" + "é" * 32,
        "signed_in_before=x:y:z",
        "theme=\xff",
        "messages=x$y",
        'messages="[["',
        'sessionid="\\101\\999"',
        ";;==;",
        *TEXTS,
    ),
    "AUTHORIZATION": (
        "Bearer",
        "Bearer ",
        "Bearer \xff",
        "Bearer é",
        "Basic %%%",
        "Basic " + "é" * 9,
        "Bearer a b",
        "Bearer " + "x" * 8_000,
        "Bearer a.b.c",
        "Bearer aet_" + "\xb2" * 43,
        *TEXTS,
    ),
    "TRACEPARENT": ("00-" + "0" * 32 + "-" + "0" * 16 + "-zz", "ff-x", *TEXTS),
    "TRACESTATE": ("=,=,", *TEXTS),
    "BAGGAGE": ("=;=", *TEXTS),
    "IF_NONE_MATCH": ('W/"', '"' * 4_000, "*", *TEXTS),
    "IF_MODIFIED_SINCE": (
        "Thu, 99 Foo 0000 99:99:99 GMT",
        "Mon, 01 Jan 9999999999 00:00:00 GMT",
        *TEXTS,
    ),
    "RANGE": (
        "bytes=x-y",
        "bytes=--1",
        "bytes=9-1",
        "bytes=0-99999999999999999999",
        "bytes=,",
        "lines=1-2",
        "bytes=-0",
        *TEXTS,
    ),
    "X_CSRFTOKEN": TEXTS,
    "X_HTTP_METHOD_OVERRIDE": ("DELETE", *TEXTS),
    "X_HUB_SIGNATURE_256": ("sha256=", "sha256=é", *TEXTS),
    "X_GITHUB_EVENT": TEXTS,
    "X_GITHUB_DELIVERY": TEXTS,
    "WEBHOOK_ID": TEXTS,
    "WEBHOOK_TIMESTAMP": ("9" * 400, "1e999", "nan", "\xb2", *TEXTS),
    "WEBHOOK_SIGNATURE": ("v1,", "v1,%%%", "v1,é", *TEXTS),
}
_PARTS = {
    "uuid": str(UUID(int=1)),
    "int": "1",
    "slug": "acme",
    "str": "kit",
    "file": "a.py",
    "path": "1",
}
SETTINGS = "/o/acme/settings"
_PART = re.compile(r"<(?:(\w+):)?\w+>")


_QUERY = (
    "next",
    "q",
    "mode",
    "project",
    "language",
    "chunk_type",
    "path",
    "exclude",
    "cursor",
    "state",
    "name",
    "sort",
    "page",
    "skipped",
    "after",
    "file",
    "line",
    "min_confidence",
    "direction",
    "depth",
    "limit",
    "lang",
    "version",
    "script",
    "format",
    "code",
    "error",
    "_popup",
    "_to_field",
    "o",
    "p",
)
_VALUES = (
    "%00",
    "%FF%FE",
    "http://[x",
    "9" * 5_000,
    "-1",
    "1e999",
    "%C2%B2",
    "[",
    "%5C",
    "%ED%A0%80",
    "x" * 5_000,
)
_SEGMENTS = ("%00", "%FF", "..", "a" * 3_000, "%2F%2F", "%E2%80%AE", "%0A", "%ED%A0%80", "%5B")
_MESSAGES = st.text(st.characters(codec="latin-1", exclude_characters="\n\r"), max_size=60)


def rows(*, without: str = "") -> Iterator[dict[str, str]]:
    """Headers of requests: the n-th value of each together. A host that is refused hides others."""
    tables = {name: values for name, values in HEADERS.items() if name not in {"HOST", without}}
    for number in range(max(map(len, tables.values()))):
        yield {name: values[number % len(values)] for name, values in tables.items()}


def addresses(prefixes: tuple[str, ...] = ("/",)) -> Iterator[str]:
    """One of each route; of the admin's, which are Django's own views, those of one model.

    Those of an organisation's settings are asked by who may open them.
    """
    found = (one for one in _addresses() if one.startswith(prefixes))
    return (one for one in found if one.startswith(SETTINGS) == (prefixes == (SETTINGS,)))


def _addresses() -> Iterator[str]:
    for route in sorted(set(routes())):
        if not route.startswith("admin/") or route.startswith(("admin/auth/user/", "admin/login")):
            yield f"/{_PART.sub(lambda part: _PARTS[part[1] or 'str'], route)}"
    yield "/static/web/site.css"  # no route of Django's


def ask(
    client: Client, address: str, headers: dict[str, str], methods: Iterable[str] = ("get", "post")
) -> int:
    """The worst status that the methods are answered with."""
    environ = {f"HTTP_{name}": value for name, value in headers.items()}
    kind = environ.pop("HTTP_CONTENT_TYPE", "application/x-www-form-urlencoded")
    environ.setdefault("HTTP_HX_REQUEST", "true")
    statuses = {
        client.generic(method.upper(), address, b"a=1", kind, **environ).status_code
        for method in methods
    }
    if address == "/readyz":  # what it is there to say; any other error counts
        statuses.discard(503)
    return max(statuses, default=200)


def failing(
    client: Client,
    asked: Iterable[tuple[str, dict[str, str]]],
    methods: Iterable[str] = ("get", "post"),
) -> list[tuple[str, object]]:
    cookies = dict(client.cookies)
    found: list[tuple[str, object]] = []
    for address, headers in asked:
        client.cookies.update(cookies)  # an answer may have ended the session
        status = ask(client, address, headers, methods)
        if status >= 500:
            found.append((f"{status} {address[:80]}", headers))
    return found


# Who asks, and for which pages: what a stranger is refused the others reach.
BROWSERS = {
    "stranger": ("/",),
    "member": ("/o/", "/account"),
    "admin": (SETTINGS,),
    "administrator": ("/admin/",),
}


@pytest.fixture(params=BROWSERS)
def browser(request: pytest.FixtureRequest) -> tuple[Client, tuple[str, ...]]:
    """Of somebody, whose errors are answers; and the addresses to ask for."""
    client = Client(raise_request_exception=False)
    membership = MembershipFactory.create(organization__slug="acme")
    if request.param == "member":
        client.force_login(membership.user)
    if request.param == "admin":
        admin = MembershipFactory.create(organization=membership.organization, role="admin")
        client.force_login(admin.user)
    if request.param == "administrator":
        client.force_login(UserFactory.create(is_superuser=True, is_staff=True))
    return client, BROWSERS[request.param]


def test_no_header_makes_an_error_of_ours(browser: tuple[Client, tuple[str, ...]]) -> None:
    """A signed-in browser's cookies are its session: hostile ones are a stranger's."""
    client, prefixes = browser
    without = "COOKIE" if client.cookies else ""
    asked = [(address, row) for address in addresses(prefixes) for row in rows(without=without)]
    assert len(asked) > 100
    assert failing(client, asked) == []


@pytest.mark.parametrize("host", HEADERS["HOST"])
def test_no_host_makes_an_error_of_ours(host: str) -> None:
    client = Client(raise_request_exception=False)
    asked = [(address, {"HOST": host}) for address in ("/sign-in", "/o/acme/", "/api/v1/search")]
    assert failing(client, asked) == []


def test_no_address_makes_an_error_of_ours(browser: tuple[Client, tuple[str, ...]]) -> None:
    client, prefixes = browser
    known = list(addresses(prefixes))
    asked = [
        *(f"{address}?{name}={value}" for address in known for name, value in _fields()),
        *(
            one.replace(part, segment)
            for one in known
            for part in ("acme", "kit", "a.py")
            if part in one
            for segment in _SEGMENTS
        ),
        *(f"{prefix}{segment}" for prefix in (*prefixes, "/static/") for segment in _SEGMENTS),
    ]
    assert failing(client, [(address, {}) for address in asked], methods=("get",)) == []


def _fields() -> Iterator[tuple[str, str]]:
    """Each field once, with the values in turn."""
    return zip(_QUERY, cycle(_VALUES), strict=False)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=_MESSAGES, name=st.sampled_from(sorted(HEADERS)))
def test_no_text_in_a_header_makes_an_error_of_ours(text: str, name: str, client: Client) -> None:
    client.raise_request_exception = False
    assert ask(client, "/o/acme/", {name: text}) < 500
    assert ask(client, "/o/acme/", {name: f"http://[{text}"}) < 500


@pytest.mark.parametrize("shown", ["http://[x", "http://testserver/o/acme/?q=x", "http://evil/x"])
def test_who_signs_in_comes_back_to_what_was_shown_here_or_to_the_front_page(
    client: Client, shown: str
) -> None:
    answer = client.get("/o/acme/", HTTP_HX_REQUEST="true", HTTP_HX_CURRENT_URL=shown)
    back = "/o/acme/%3Fq%3Dx" if "testserver" in shown else "/"
    assert (answer.status_code, answer["HX-Redirect"]) == (200, f"/sign-in?next={back}")
