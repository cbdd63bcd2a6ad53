"""The embedded server's upkeep: a thread of its own, as building an index may take minutes."""

import threading

import structlog

from central.ingest.services.upkeep import maintain_store

_STOP_SECONDS = 1

_log = structlog.get_logger(__name__)


class Upkeep:
    """Start it once in the process that serves; `wake` says that something may be due."""

    def __init__(self) -> None:
        self._due = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="upkeep", daemon=True)

    def start(self) -> None:
        """Begin, with what an earlier server may have left."""
        self._due.set()
        self._thread.start()

    def wake(self) -> None:
        """Look again, now or when the present upkeep is done."""
        self._due.set()

    def stop(self) -> None:
        """End the thread, or leave it to the end of the process: what it does is then due again."""
        self._stopping.set()
        self._due.set()
        self._thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        while self._due.wait() and not self._stopping.is_set():
            self._due.clear()
            try:
                maintain_store()
            except Exception:  # noqa: BLE001 (nothing may end this thread)
                _log.exception("upkeep_failed")
