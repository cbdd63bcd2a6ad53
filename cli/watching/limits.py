"""Whether the kernel gives this user further inotify watches.

Asked by trying: the library that listens goes on without a word where it got none for a directory.
"""

import ctypes
import errno
import os
import sys
from typing import Final

_IN_CREATE: Final = 0x100  # any event would do: see inotify(7)


def has_watches_left() -> bool:
    """Whether one more directory could be watched. Elsewhere than on Linux there is no limit."""
    if sys.platform != "linux":
        return True
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_CLOEXEC)
    if descriptor < 0:
        return False
    try:
        added = libc.inotify_add_watch(descriptor, b"/", _IN_CREATE)
        return added >= 0 or ctypes.get_errno() != errno.ENOSPC
    finally:
        os.close(descriptor)
