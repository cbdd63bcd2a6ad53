"""What another service answers is read up to a limit, packed or not; over real HTTP."""

import gzip
import tracemalloc
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import httpx
import pytest

from indexer import http_bodies
from indexer.client.credentials import StaticToken
from indexer.client.transport import Transport
from indexer.errors import CentralError
from indexer.http_bodies import AnswerTooLongError, read_answer
from tests.listening import listening

LIMIT = 1_000_000
BODIES = {
    "/short": b'{"is": "short"}',
    "/long": b"x" * 20 * LIMIT,
    "/packed": gzip.compress(b"x" * 20 * LIMIT),
    "/short-packed": gzip.compress(b'{"is": "short"}'),
}


class Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = BODIES[self.path]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Kept", "as it is")
        if body.startswith(b"\x1f\x8b"):
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:  # the client has read enough
            self.close_connection = True

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(http_bodies, "ANSWER_BYTES", LIMIT)
    with listening(Answers) as url:
        yield url


@pytest.mark.parametrize("path", ["/short", "/short-packed"])
def test_an_answer_is_read_as_it_was_meant(url: str, path: str) -> None:
    with httpx.Client(base_url=url) as http:
        answer = read_answer(http, "GET", path)
    assert answer.json() == {"is": "short"}
    assert answer.headers["X-Kept"] == "as it is"


def test_a_long_answer_is_not_taken_into_memory(url: str) -> None:
    with httpx.Client(base_url=url) as http:
        tracemalloc.start()
        with pytest.raises(AnswerTooLongError):
            read_answer(http, "GET", "/long")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 5 * LIMIT
        with pytest.raises(AnswerTooLongError):  # by its length unpacked
            read_answer(http, "GET", "/packed")


def test_a_service_that_answers_too_much_is_no_central(url: str) -> None:
    transport = Transport(url=url, credentials=StaticToken("aet_x"))
    with pytest.raises(CentralError, match="check that AETERNA_URL"):
        transport.request("GET", "/long")
    transport.close()


def test_what_is_too_long_for_memory_is_received_in_pieces(url: str) -> None:
    transport = Transport(url=url, credentials=StaticToken("aet_x"))
    received: list[int] = []
    sizes: list[int | None] = []

    def receive(pieces: Iterator[bytes], size: int | None) -> None:
        sizes.append(size)
        received.extend(map(len, pieces))

    transport.download("/long", receive, wait_seconds=60.0)
    transport.download("/short-packed", receive, wait_seconds=60.0)
    transport.close()
    assert sizes == [20 * LIMIT, None]
    assert len(received) > 2
    assert sum(received) == 20 * LIMIT + len(b'{"is": "short"}')


def test_a_download_that_broke_off_is_begun_again(url: str) -> None:
    """Half of it, then a refusal for a time, then all of it."""
    asked: list[str] = []

    class BreaksOff(Answers):
        def do_GET(self) -> None:
            asked.append(self.path)
            if len(asked) == 2:
                self.send_error(503)
            elif len(asked) > 2:
                super().do_GET()
            else:
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b"x" * 500)
                self.close_connection = True

    received: list[bytes] = []
    with listening(BreaksOff) as breaking:
        transport = Transport(url=breaking, credentials=StaticToken("aet_x"), sleep=lambda _: None)
        transport.download(
            "/short", lambda pieces, _: received.append(b"".join(pieces)), wait_seconds=60.0
        )
        transport.close()
    assert len(asked) == 3
    assert received == [BODIES["/short"]]
