"""Waiting for what happens in another process, whenever that is."""

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], bool], complaint: str = "it did not come to pass") -> None:
    """Ask again and again, for a minute at most."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, complaint
        time.sleep(0.02)
