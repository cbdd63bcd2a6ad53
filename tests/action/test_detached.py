"""Checkouts that are on no branch, as `ref: ${{ github.sha }}` makes them: what is indexed."""

import pytest

from tests.action.workplace import Workplace

pytestmark = pytest.mark.system("node", "npm", "bash", "git")

FILES = {"shop/cart.py": "def total(items):\n    return sum(items)\n"}


def test_a_job_of_a_branch_indexes_its_commit_and_an_old_one_is_superseded(
    workplace: Workplace,
) -> None:
    remote = workplace.remote("detached", FILES)
    first = remote.head()
    second = remote.commit({"shop/till.py": "def open_till():\n    return 1\n"})

    new = workplace.run(remote, workplace.check_out(remote, depth=1, detach=True))
    old = workplace.run(remote, workplace.check_out(remote, first, detach=True))

    assert (new.conclusion, new.outputs["reason"]) == ("success", "first_index"), new.log
    assert (old.conclusion, old.outputs["reason"]) == ("success", "superseded"), old.log
    assert old.outputs["last-indexed-commit"] == second
    [status] = workplace.acme.get("index/status", project="detached")["projects"]
    assert status["default_branch"] == "main"


def test_a_tag_is_indexed_only_as_the_branch_that_contains_it(workplace: Workplace) -> None:
    remote = workplace.remote("tagged", FILES)
    tagged = remote.head()
    remote.commit({"shop/till.py": "def open_till():\n    return 1\n"})
    workspace = workplace.check_out(remote, tagged, depth=1, detach=True)

    refused = workplace.run(remote, workspace, ref="refs/tags/v1")
    named = workplace.run(remote, workspace, ref="refs/tags/v1", inputs={"ref": "main"})

    assert refused.steps["run"].exit_code == 2
    [annotation] = refused.annotations("error")
    assert "tags are not indexed" in annotation
    assert "the input `ref`" in annotation
    assert (named.conclusion, named.outputs["last-indexed-commit"]) == ("success", tagged)


def test_a_pull_request_is_not_indexed_whatever_branch_is_named(workplace: Workplace) -> None:
    remote = workplace.remote("proposed", FILES)
    proposed = remote.propose({"shop/cart.py": "def total(items):\n    return 0\n"})
    workspace = workplace.check_out(remote, proposed, detach=True)
    pull = {"base": remote.head(), "head": proposed}

    refused = workplace.run(remote, workspace, pull_request=pull)
    named = workplace.run(remote, workspace, pull_request=pull, inputs={"ref": "main"})

    assert refused.steps["run"].exit_code == named.steps["run"].exit_code == 2
    assert "command: impact" in " ".join(refused.annotations("error"))
    assert "is not on refs/heads/main" in " ".join(named.annotations("error"))
