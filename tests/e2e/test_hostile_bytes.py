"""Requests as raw bytes to the running service: whatever they are, none is its own error."""

import socket
from urllib.parse import urlsplit

import pytest

from scripts.local_service import Organization

PATHS = (
    b"/o/acme/",
    b"/sign-in",
    b"/api/v1/search",
    b"/api/v1/docs",
    b"/mcp",
    b"/static/web/site.css",
)
LINES = (
    b"HX-Request: true\r\nHX-Current-URL: http://[x",
    b"HX-Current-URL: \xff\xfe",
    b"Referer: http://[\xff",
    b"Origin: http://[",
    b"Cookie: sessionid=\xff; csrftoken=\x01",
    b"Authorization: Bearer \xc3\xa9",
    b"Authorization: Basic \xff",
    b"Content-Type: application/json; charset=\xff",
    b"Content-Length: x",
    b"Content-Length: -1",
    b"Content-Length: " + b"9" * 5_000,
    b"Transfer-Encoding: chunked\r\nContent-Length: 3",
    b"Range: bytes=9-1,\xff",
    b"If-None-Match: \xff",
    b"traceparent: 00-\xff",
    b"Accept-Language: \xff;q=nan",
    b"X-Forwarded-For: [::",
    b"X-Forwarded-Proto: \xff",
    b"X-Forwarded-Host: [",
)  # fmt: skip
TARGETS = (
    b"/%00",
    b"/%ff%fe",
    b"/o/%00/",
    b"//[x",
    b"http://[x/",
    b"*",
    b"/?next=%ff",
    b"/" + b"a" * 9_000,
)


@pytest.mark.parametrize("method", [b"GET", b"POST"])
def test_no_bytes_of_a_request_make_an_error_of_ours(examples: Organization, method: bytes) -> None:
    asked = [(path, line) for path in PATHS for line in LINES]
    asked += [(target, b"X: y") for target in TARGETS]
    statuses = {(path[:40], line[:60]): ask(examples, method, path, line) for path, line in asked}
    assert {one: status for one, status in statuses.items() if status[:1] == b"5"} == {}
    assert set(statuses.values()) & {b"200", b"400", b"401"}


def ask(acme: Organization, method: bytes, path: bytes, line: bytes) -> bytes:
    """The status; b"" of a connection that is closed without a word."""
    host = urlsplit(acme.service.url)
    name = host.netloc.encode()
    with socket.create_connection((host.hostname, host.port), timeout=30) as connection:
        connection.sendall(
            method + b" " + path + b" HTTP/1.1\r\nHost: " + name + b"\r\nConnection: close\r\n"
            + line + b"\r\n\r\n"
        )  # fmt: skip
        connection.shutdown(socket.SHUT_WR)
        head = connection.makefile("rb").readline()
    return head.split(b" ")[1] if head.startswith(b"HTTP/") else b""
