"""Branches in the status of the index, in the admin and in metrics."""

from typing import Any

import pytest

from aeterna_code_search.agents.text import status_text
from aeterna_code_search.cli.output import status as lines
from aeterna_code_search.client.console import Console
from central.repositories.metrics import RepositoryCollector
from central.repositories.models import Branch, Repository
from tests.central.admin import superuser
from tests.central.branches import Service
from tests.central.protocol import api_of

pytestmark = pytest.mark.django_db

POLICY = 'branches = ["release/*"]\n'
MAIN = {".codesearch.toml": POLICY, "a.py": "one\n"}


@pytest.fixture
def service() -> Service:
    """A repository with two release branches."""
    made = Service(api_of())
    made.push("main", MAIN)
    made.push("release/1", {**MAIN, "a.py": "two\n", "b.py": "two\n"})
    made.push("release/2", MAIN)
    return made


def status(service: Service) -> dict[str, Any]:
    answer: dict[str, Any] = service.api.status(project="shop").json()
    return answer


def test_the_status_lists_each_branch_with_its_commit_and_trouble(service: Service) -> None:
    Branch.objects.filter(ref="refs/heads/release/2").update(
        trouble="failed", trouble_detail="No disk."
    )
    first, second = status(service)["projects"][0]["branches"]
    stored = Branch.objects.get(ref="refs/heads/release/1")
    assert first["indexed_at"]
    assert {**first, "indexed_at": None} == {
        "ref": "release/1",
        "last_indexed_commit": stored.last_indexed_commit,
        "indexed_at": None,
        "files": 3,
        "trouble": None,
        "error": None,
        "reason": None,
    }
    assert (second["ref"], second["trouble"], second["error"]) == (
        "release/2",
        "failed",
        "No disk.",
    )


def test_a_branch_that_an_older_version_left_behind_must_be_indexed_again(
    service: Service,
) -> None:
    Repository.objects.update(generation=9)
    answer = status(service)
    [project] = answer["projects"]
    assert [branch["reason"] for branch in project["branches"]] == ["branch_not_indexed"] * 2
    assert "branch release/1: not indexed" in status_text(answer)


def test_people_and_agents_read_the_branches_and_an_older_answer_without(service: Service) -> None:
    answer = status(service)
    assert "\n    branch release/1@" in status_text(answer)
    table = lines.render(Console(is_terminal=True, has_colours=False, width=160), answer)
    [row] = [line.split() for line in table.splitlines() if "release/1" in line]
    assert row[:2] == ["release/1", "current"]
    del answer["projects"][0]["branches"]
    assert "release" not in status_text(answer)
    assert "release" not in lines.render(
        Console(is_terminal=True, has_colours=False, width=160), answer
    )


def test_the_admin_and_the_metrics_have_them(service: Service) -> None:
    repository = Repository.objects.get()
    page = superuser().get(f"/admin/repositories/repository/{repository.pk}/change/")
    assert "refs/heads/release/1" in page.content.decode()
    *_, family = RepositoryCollector().collect()
    assert [sample.value for sample in family.samples] == [2]
    assert service.indexed.keys() == {"main", "release/1", "release/2"}
