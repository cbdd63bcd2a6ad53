"""What an orchestrator is told of a container's process."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from central import healthcheck


@contextmanager
def answering(status: int) -> Iterator[str]:
    """A server whose every answer has this status; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"0.0.0.0:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("process", "variable"), [("web", "AETERNA_BIND"), ("sidecar", "CODESEARCH_SIDECAR_BIND")]
)
def test_a_server_lives_while_it_answers(
    process: str, variable: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with answering(200) as bind:
        monkeypatch.setenv(variable, bind)
        assert healthcheck.main([process]) == 0
    assert healthcheck.main([process]) == 1
    with answering(500) as bind:
        monkeypatch.setenv(variable, bind)
        assert healthcheck.main([process]) == 1
    assert "/livez answers 500" in capsys.readouterr().err


@pytest.fixture(params=["worker", "beat"])
def process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    monkeypatch.setenv("AETERNA_DATA_DIR", str(tmp_path))
    return str(request.param)


def went_round(seconds_ago: float, path: Path) -> None:
    path.touch()
    os.utime(path, (time.time() - seconds_ago,) * 2)


def test_a_worker_or_beat_lives_while_it_goes_round(
    process: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert healthcheck.main([process]) == 1
    went_round(5, tmp_path / f"{process}.alive")
    assert healthcheck.main([process]) == 0
    went_round(600, tmp_path / f"{process}.alive")
    assert healthcheck.main([process]) == 1
    assert f"{process}: it went round 600 s ago" in capsys.readouterr().err


def test_one_that_waits_for_the_broker_is_not_started_anew(
    process: str, tmp_path: Path, settings: object
) -> None:
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:9/0"  # type: ignore[attr-defined]
    went_round(600, tmp_path / f"{process}.alive")
    assert healthcheck.main([process]) == 0


def test_an_unknown_process_is_told_which_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert healthcheck.main(["database"]) == 2
    assert "web, worker, beat, sidecar" in capsys.readouterr().err
