"""A person with a browser's session, for the benchmarks and the end-to-end tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import urlsplit

import httpx

from scripts.local_service import Service, ServiceError

BEHIND_TLS: Final = {"X-Forwarded-Proto": "https"}
PASSWORD: Final = "correct horse battery staple"  # noqa: S105 - of services that live for minutes


def create_person(service: Service, username: str, *options: str) -> None:
    """Make a user with PASSWORD; `options` are those of `manage.py create_member`."""
    service.manage("create_member", username, "--password-stdin", *options, entered=PASSWORD)


@contextmanager
def signed_in(service: Service, username: str) -> Iterator[httpx.Client]:
    """A client with the session of that person, who has PASSWORD."""
    with httpx.Client(base_url=service.url, timeout=60) as client:
        client.cookies.set("sessionid", session_id(service.url, username))
        yield client


def session_id(url: str, username: str) -> str:
    """Sign in with PASSWORD, as behind a proxy that ends TLS: then cookies are for HTTPS alone.

    Raises ServiceError.
    """
    headers = {**BEHIND_TLS, "Referer": f"https://{urlsplit(url).netloc}/sign-in"}
    with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        token = client.get("/sign-in").raise_for_status().cookies["csrftoken"]
        form = {"username": username, "password": PASSWORD, "csrfmiddlewaretoken": token}
        client.cookies.clear()
        answer = client.post("/sign-in", data=form, headers={"Cookie": f"csrftoken={token}"})
    session = answer.cookies.get("sessionid")
    if answer.status_code != httpx.codes.FOUND or session is None:
        raise ServiceError(f"{username} may not sign in: {answer.status_code}")
    return session
