"""How often somebody may ask: in this process, in Redis, and where Redis is away."""

import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
import structlog
import time_machine
from pytest_django import Settings

from central.errors import ThrottledError
from central.http import rate_limits


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Nothing is counted yet."""
    rate_limits._limit.cache_clear()
    yield
    rate_limits._limit.cache_clear()


def test_within_the_rate_nobody_waits() -> None:
    assert [rate_limits.check("ada", "3/minute") for _ in range(3)] == [None] * 3


def test_beyond_the_rate_the_oldest_request_says_when_there_is_room() -> None:
    with time_machine.travel(1_000_000, tick=False) as clock:
        rate_limits.check("ada", "2/minute")
        clock.shift(20)
        rate_limits.check("ada", "2/minute")
        assert rate_limits.check("ada", "2/minute") == pytest.approx(40)
        clock.shift(41)
        assert rate_limits.check("ada", "2/minute") is None


def test_what_is_refused_is_not_counted() -> None:
    with time_machine.travel(1_000_000, tick=False) as clock:
        for _ in range(50):
            rate_limits.check("ada", "1/minute")
        clock.shift(61)
        assert rate_limits.check("ada", "1/minute") is None


def test_each_key_is_counted_for_itself() -> None:
    rate_limits.check("ada", "1/minute")
    assert rate_limits.check("bob", "1/minute") is None


def test_a_rate_that_is_off_limits_nothing() -> None:
    assert not any(rate_limits.check("ada", "off") for _ in range(1000))


def test_a_refusal_says_how_long_to_wait() -> None:
    rate_limits.enforce("ada", "1/minute", what="search")
    with pytest.raises(ThrottledError, match=r"More than 1 requests per minute; try again") as told:
        rate_limits.enforce("ada", "1/minute", what="search")
    assert 1 <= int(str(told.value.extra["retry_after"])) <= 60


def test_without_redis_each_process_counts_after_one_short_wait(settings: Settings) -> None:
    with socket.socket() as silent:  # takes connections and never answers
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        settings.RATE_STORAGE = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        with structlog.testing.capture_logs() as lines:
            started = time.perf_counter()
            waits = [rate_limits.check("ada", "150/hour") for _ in range(200)]
        assert time.perf_counter() - started < 5  # a wait for each would be 50 s
    assert waits[:150] == [None] * 150
    assert all(wait and wait > 3500 for wait in waits[150:])
    assert [line["event"] for line in lines] == ["rate_limiting_unavailable"]


@pytest.mark.system("redis-server")
def test_processes_count_together_in_redis(settings: Settings, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL) as server:
        try:
            settings.RATE_STORAGE = f"redis://127.0.0.1:{port}/0"
            client = redis.Redis.from_url(settings.RATE_STORAGE)
            _wait_for(client)
            assert rate_limits.check("ada", "1/hour") is None
            rate_limits._limit.cache_clear()  # as another process, which knows nothing itself
            assert (rate_limits.check("ada", "1/hour") or 0) > 3500
            assert not any(b"ada" in key for key in client.keys("*"))
            client.close()
        finally:
            server.terminate()


def _wait_for(client: "redis.Redis") -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            if client.ping():
                return
        except redis.ConnectionError:
            time.sleep(0.02)
    raise AssertionError("Redis did not start.")
