"""What every answer tells a browser, over all addresses that there are."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from pytest_django import Settings

ARGUMENTS = {
    "organization": "acme", "project": "p", "path": "a.py",
    "run_id": "00000000-0000-0000-0000-000000000000",
    "number": 1, "object_id": "1", "provider": "p", "pk": 1, "app_label": "tenancy",
}  # fmt: skip


def addresses() -> Iterator[str]:
    """An address for every pattern, with some value in each place."""

    def walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[str]:
        for one in patterns:
            route = before + str(one.pattern).lstrip("^").rstrip("$")
            if isinstance(one, URLResolver):
                yield from walk(one.url_patterns, route)
            else:
                yield "/" + route

    for route in walk(get_resolver().url_patterns, ""):
        address = route
        while "<" in address:
            start, end = address.index("<"), address.index(">")
            kind, _, name = address[start + 1 : end].rpartition(":")
            value = ARGUMENTS.get(name, 1 if kind == "int" else "x")
            address = f"{address[:start]}{value}{address[end + 1 :]}"
        yield address


@pytest.mark.django_db
def test_every_answer_keeps_browsers_from_what_they_need_not(settings: Settings) -> None:
    settings.SECURE_HSTS_SECONDS = 60
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_superuser("ada"))
    seen = 0
    for address in {*addresses(), "/nowhere", "/o/acme", "/static/web/site.css"}:
        answer = client.get(address, secure=True)
        assert answer["X-Content-Type-Options"] == "nosniff", address
        assert answer["Referrer-Policy"] == "same-origin", address
        assert answer["Cross-Origin-Opener-Policy"] == "same-origin", address
        assert answer["X-Frame-Options"] == "DENY", address
        assert "default-src 'none'" in answer["Content-Security-Policy"], address
        assert "camera=()" in answer["Permissions-Policy"], address
        assert answer["Strict-Transport-Security"].startswith("max-age=60"), address
        assert "frame-ancestors 'none'" in answer["Content-Security-Policy"], address
        assert "default-src 'none'" in answer["Content-Security-Policy"], address
        if not address.startswith("/static/"):
            assert {"no-store", "no-cache"} & {
                part.strip() for part in answer["Cache-Control"].split(",")
            }, address
        seen += 1
    assert seen > 40


@pytest.mark.django_db
def test_what_is_no_page_may_do_nothing_in_a_browser() -> None:
    for address in ("/livez", "/api/v1/search", "/metrics"):
        policy = Client().get(address)["Content-Security-Policy"]
        assert policy == "default-src 'none'; frame-ancestors 'none'", address
