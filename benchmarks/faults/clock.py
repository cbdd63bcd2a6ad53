"""A wall clock for the processes of a target, which can be set while they run."""

import struct
import subprocess
from pathlib import Path

_SOURCE = Path(__file__).with_name("clock.c")


class Clock:
    """The clock of processes that are started with `environment`."""

    def __init__(self, workspace: Path) -> None:
        self._file = workspace / "clock"
        self._moved = 0
        library = workspace / "clock.so"
        self._file.touch(mode=0o644)
        self.set(0)
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, _SOURCE], check=True)
        self.environment = {"LD_PRELOAD": str(library), "FAULTS_CLOCK": str(self._file)}

    def set(self, seconds: int) -> None:
        """Let it be ahead of the machine's by so many seconds."""
        self._moved = seconds
        with self._file.open("r+b") as file:
            file.write(struct.pack("q", seconds))

    def move(self, seconds: int) -> None:
        """Set it so much later, or earlier."""
        self.set(self._moved + seconds)
