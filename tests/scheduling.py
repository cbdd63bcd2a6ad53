"""How the tests are shared out to processes: by file, but together what shares a costly fixture."""

from functools import cache
from pathlib import Path

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

EXAMPLES = "examples: Organization"  # indexing them takes many seconds
BROWSER = "tests/e2e/browser/"  # of the examples
TOGETHER = ("tests/cli/", "tests/action/")  # one service, and one runner, for all of each


class Scheduling(LoadFileScheduling):
    """One process makes each of these fixtures, and has every file that asks for it."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        for directory in TOGETHER:
            if file.startswith(directory):
                return directory
        is_of_examples = file.startswith(BROWSER) or asks_examples(self.config.rootpath / file)
        return EXAMPLES if is_of_examples else file

    def remove_node(self, node: WorkerController) -> str | None:
        """Queue what a process that died had not run yet; the test that ended it, if one did.

        As pytest-xdist after 3.8.0, which queues complete files and that test once more, and so
        never ends (its issues 1371 and 1378).
        """
        assigned = self.assigned_work.pop(node).items()
        pending = {scope: tests for scope, tests in assigned if not all(tests.values())}
        if not pending:
            return None
        running = next(iter(pending.values()))
        crashed: str = next(test for test, is_complete in running.items() if not is_complete)
        running[crashed] = True
        self.workqueue.update(
            {scope: tests for scope, tests in pending.items() if not all(tests.values())}
        )
        for other in self.assigned_work:
            self._reschedule(other)
        return crashed

    def _reschedule(self, node: WorkerController) -> None:
        """Assign files until the process has two tests: it starts its last one at the next."""
        if node not in self.registered_collections:
            return
        super()._reschedule(node)
        while not node.shutting_down and self._pending_of(self.assigned_work[node]) < 2:
            super()._reschedule(node)


@cache
def asks_examples(file: Path) -> bool:
    """Whether a test of `file` has the fixture."""
    return EXAMPLES in file.read_text(encoding="utf-8")
