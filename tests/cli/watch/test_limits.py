"""What the kernel gives, asked by trying."""

import subprocess
import sys

from aeterna_code_search.cli.watch.events import can_add_watch

EXHAUSTED = """
import os, resource
from aeterna_code_search.cli.watch.events import can_add_watch
resource.setrlimit(resource.RLIMIT_NOFILE, (os.dup(0), os.dup(0)))
raise SystemExit(can_add_watch())
"""


def test_there_are_watches_left_where_none_are_used() -> None:
    assert can_add_watch()


def test_a_user_who_may_open_nothing_more_has_none_left() -> None:
    assert subprocess.run([sys.executable, "-c", EXHAUSTED], check=False).returncode == 0
