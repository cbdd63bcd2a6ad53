"""Whether the kernel shares the processors out by session: Linux's automatic task groups.

See sched(7). Each backend of PostgreSQL begins a session, so it has the share of a web process with
all its threads. In control groups for the processor, as containers have, the setting has no effect.
"""

from pathlib import Path
from typing import Final

_SETTING: Final = Path("/proc/sys/kernel/sched_autogroup_enabled")
NOTE: Final = (
    "kernel.sched_autogroup_enabled is 1: outside of containers each connection of PostgreSQL has "
    "as large a share of the processors as a web process, and the slowest /livez is slower. "
    "Off: sysctl kernel.sched_autogroup_enabled=0"
)


def are_on(setting: Path = _SETTING) -> bool:
    """Whether they are on; a kernel without them has no such file."""
    try:
        return setting.read_text(encoding="ascii").strip() == "1"
    except OSError:
        return False
