"""A person with a browser's session, for the benchmarks and the end-to-end tests."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from scripts.local_service import Service, ServiceError

PASSWORD = "correct horse battery staple"  # noqa: S105 - of services that live for minutes


def create_person(service: Service, username: str, *options: str) -> None:
    """Make a user with PASSWORD; `options` are those of `manage.py create_member`."""
    service.manage("create_member", username, "--password-stdin", *options, entered=PASSWORD)


@contextmanager
def signed_in(service: Service, username: str) -> Iterator[httpx.Client]:
    """A client with the session of that person, who has PASSWORD."""
    with httpx.Client(base_url=service.url, timeout=60) as client:
        client.get("/sign-in").raise_for_status()
        form = {"username": username, "password": PASSWORD}
        form["csrfmiddlewaretoken"] = client.cookies["csrftoken"]
        answer = client.post("/sign-in", data=form)
        if answer.status_code != httpx.codes.FOUND:
            raise ServiceError(f"{username} may not sign in: {answer.status_code}")
        yield client
