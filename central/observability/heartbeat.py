"""Signs of life of a Celery worker and of beat: a file each, touched while they go round.

`python -m central.healthcheck` reads them. A file costs nothing; `celery inspect ping` starts a
Django process and asks the broker, each time that an orchestrator wants to know.
"""

from pathlib import Path
from typing import Any, Final

from celery import bootsteps
from celery.beat import Scheduler
from django.conf import settings

from central.runtime.data_directory import private_directory

_TOUCH_SECONDS: Final = 10


def sign_of_life(of: str) -> Path:
    """The file of the process that is called so: `worker` or `beat`."""
    path: Path = settings.DATA_DIR / f"{of}.alive"
    return path


def _touch(path: Path) -> None:
    private_directory(path.parent)
    path.touch()


class WorkerHeartbeat(bootsteps.StartStopStep):
    """Touches the worker's file from its event loop; while it applies runs, too."""

    requires = ("celery.worker.components:Timer",)

    def start(self, worker: Any) -> None:
        """Begin with the worker."""
        path = sign_of_life("worker")
        _touch(path)
        worker.timer.call_repeatedly(_TOUCH_SECONDS, _touch, (path,))


class BeatScheduler(Scheduler):
    """Celery's schedule in memory: all of it is in the code, nothing to keep."""

    def tick(self, *arguments: Any, **options: Any) -> Any:
        """Send what is due; returns the seconds until the next is, at most 10 here."""
        _touch(sign_of_life("beat"))
        return min(super().tick(*arguments, **options), _TOUCH_SECONDS)
