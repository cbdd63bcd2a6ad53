"""How the tests are shared out to processes: by file, but together what shares a costly fixture."""

from functools import cache
from pathlib import Path

from xdist.scheduler import LoadFileScheduling

EXAMPLES = "examples: Organization"  # indexing them takes many seconds
BROWSER = "tests/e2e/browser/"  # of the examples
# One service, one runner, and one engine, for all of each.
TOGETHER = ("tests/cli/", "tests/action/", "tests/deploy/engine/")


class Scheduling(LoadFileScheduling):
    """One process makes each of these fixtures, and has every file that asks for it."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        for directory in TOGETHER:
            if file.startswith(directory):
                return directory
        is_of_examples = file.startswith(BROWSER) or asks_examples(self.config.rootpath / file)
        return EXAMPLES if is_of_examples else file


@cache
def asks_examples(file: Path) -> bool:
    """Whether a test of `file` has the fixture."""
    return EXAMPLES in file.read_text(encoding="utf-8")
