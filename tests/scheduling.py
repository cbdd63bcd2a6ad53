"""How the tests are shared out to processes: by file, but together what shares a costly fixture."""

from functools import cache
from pathlib import Path

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

EXAMPLES = "examples: Organization"  # indexing them takes many seconds
FIXTURES = (EXAMPLES, "on_qdrant: OnQdrant")
BROWSER = "tests/e2e/browser/"  # of the examples
# One service, one runner, one installation, one engine for all of each.
TOGETHER = (
    "tests/action/",
    "tests/cli/",
    "tests/deploy/engine/",
    "tests/distribution/",
    "tests/integrations/langchain/",
)


class Scheduling(LoadFileScheduling):
    """One process makes each of these fixtures, and has every file that asks for it."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        for directory in TOGETHER:
            if file.startswith(directory):
                return directory
        if file.startswith(BROWSER):
            return EXAMPLES
        return fixture_of(self.config.rootpath / file) or file

    def remove_node(self, node: WorkerController) -> str | None:
        """Take back what a process that ended had not finished.

        pytest-xdist 3.8 also takes back what it had; a process that is given such a file, and
        nothing else, waits for ever.
        """
        scopes = self.assigned_work[node]
        self.assigned_work[node] = {
            scope: tests for scope, tests in scopes.items() if not all(tests.values())
        }
        return super().remove_node(node)


@cache
def fixture_of(file: Path) -> str:
    """The costly fixture that a test of `file` has; "" for none."""
    text = file.read_text(encoding="utf-8")
    return next((fixture for fixture in FIXTURES if fixture in text), "")
