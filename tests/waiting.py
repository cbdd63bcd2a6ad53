"""Waiting for what happens in another process, whenever that is."""

import time
from collections.abc import Callable


def wait_until(
    condition: Callable[[], bool], complaint: str = "it did not come to pass", seconds: float = 60
) -> None:
    """Ask again and again, for a minute at most, or for `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, complaint
        time.sleep(0.02)
