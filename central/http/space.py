"""The space that bodies take which a process has received and not answered yet."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from central.http.turns import Caller, too_busy

BODIES_BYTES: Final = 384 * 1024 * 1024  # received by a process and not answered yet
BODY_FREE_BYTES: Final = 64 * 1024  # of each body, which do not count
Take = Callable[[int], None]


class BodySpace:
    """Bytes of bodies, in memory or below /tmp (often memory, too), by who sent them.

    Bodies are read before their sender has a turn, and before a token is looked up. All who are no
    known organisation share their part. The first BODY_FREE_BYTES of a body are not counted: most
    webhooks and questions are smaller, and no sender can keep those out. Of one event loop.
    """

    def __init__(self) -> None:
        self._held: Counter[str] = Counter()

    @contextmanager
    def of(self, caller: Caller) -> Iterator[Take]:
        """Yield what counts each part before it is kept; at the end it is given back.

        It raises UnavailableError if there is no space, or if the sender has half of all and this
        body is not its only one.
        """
        sender = caller.name if caller.is_organization else "strangers"
        received = counted = 0

        def take(size: int) -> None:
            nonlocal received, counted
            received += size
            more = max(received - BODY_FREE_BYTES, 0) - counted
            others = self._held[sender] - counted
            is_over_half = others > 0 and self._held[sender] + more > BODIES_BYTES // 2
            if more and (is_over_half or self._held.total() + more > BODIES_BYTES):
                raise too_busy()
            counted += more
            self._held[sender] += more

        try:
            yield take
        finally:
            self._held[sender] -= counted
            if not self._held[sender]:
                del self._held[sender]
