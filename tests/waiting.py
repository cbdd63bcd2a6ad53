"""Waiting for what happens in another process, whenever that is."""

import time
from collections.abc import Callable

_LONGEST_PAUSE = 0.1  # some states last for less than a second


def wait_until(
    condition: Callable[[], bool], complaint: str = "it did not come to pass", seconds: float = 60
) -> None:
    """Ask again and again, for a minute at most, or for `seconds`.

    The longer it takes the less often: the processor is needed by what is waited for.
    """
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        assert waited < seconds, complaint
        time.sleep(min(0.01 + waited / 10, _LONGEST_PAUSE))
