"""The real action on real repositories and the real service: what becomes of the index.

The scenarios' names are the specification's.
"""

from dataclasses import dataclass

import pytest

from scripts.local_git import git
from tests.action.forge import Remote
from tests.action.harness import Result
from tests.action.workplace import Workplace

pytestmark = pytest.mark.system("node", "npm", "bash", "git")

FILES = {f"payments/part_{n}.py": f"def charge_{n}(card):\n    return card\n" for n in range(6)}
CHANGES = {f"payments/part_{n}.py": f"def refund_{n}(card):\n    return card\n" for n in range(3)}


@dataclass(frozen=True)
class Story:
    """What the jobs of one repository did, one after another."""

    remote: Remote
    commits: dict[str, str]
    results: dict[str, Result]


@pytest.fixture(scope="module")
def story(workplace: Workplace) -> Story:
    remote = workplace.remote("payments-api")
    commits, results = {}, {}
    commits["first"] = remote.commit(dict(FILES))
    results["first"] = workplace.run(remote)
    commits["three files"] = remote.commit(dict(CHANGES))
    results["three files"] = workplace.run(remote)
    results["same"] = workplace.run(remote)
    results["old job"] = workplace.run(remote, workplace.check_out(remote, commits["first"]))
    remote.rewind(1)
    commits["forced"] = remote.commit({"payments/part_5.py": "def charge_back():\n    pass\n"})
    results["forced"] = workplace.run(remote)
    return Story(remote, commits, results)


def test_debug(story: Story) -> None:
    for name, result in story.results.items():
        print(name, result.conclusion, result.outputs, result.steps)
        print(result.log)
        print(result.summary)
