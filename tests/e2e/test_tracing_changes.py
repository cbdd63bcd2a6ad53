"""What becomes of traced answers when repositories change, go, or fall behind; over real HTTP.

Each test has a library and users of its own, in an organisation beside the examples.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from indexer.bundle.encode import encode_tree
from indexer.client.api import IndexingClient, OpenedRun, OpenRequest
from indexer.client.credentials import StaticToken
from indexer.client.transport import Transport
from indexer.records.files import TreeEntry
from indexer.records.runs import Mode, Plan, Reason, RunStats
from scripts.local_git import commit_all, git
from scripts.local_service import Organization
from tests.e2e.conftest import MakeRepository, write_files
from tests.e2e.indexing import index_here

WORKSHOP = "workshop"
WAIT_SECONDS = 60


@pytest.fixture(scope="module")
def workshop(examples: Organization) -> Organization:
    """Another organisation on the same service."""
    return examples.service.organization(WORKSHOP)


def library(name: str) -> dict[str, str]:
    """A package with the function `wind_<name>`."""
    return {
        "pyproject.toml": f'[project]\nname = "acme-{name}"\nversion = "1.2.0"\n',
        f"{name}/__init__.py": f"def wind_{name}():\n    return 1\n",
    }


def user_of(name: str) -> dict[str, str]:
    """A program that calls `wind_<name>`."""
    return {
        "pyproject.toml": '[project]\nname = "tower"\nversion = "1"\n'
        f'dependencies = ["acme-{name}==1.1.0"]\n',
        "tower.py": f"from {name} import wind_{name}\n\n\n"
        f"def strike():\n    return wind_{name}()\n",
    }


def callers(acme: Organization, symbol: str) -> dict[str, Any]:
    return acme.get("trace/callers", symbol=symbol)


def sites(answer: dict[str, Any]) -> list[str]:
    return [f"{row['project']} {row['file']}:{row['line']}" for row in answer["callers"]]


@pytest.fixture
def central(workshop: Organization) -> Iterator[IndexingClient]:
    """The indexing API, as an indexer calls it."""
    credentials = StaticToken(workshop.token)
    with closing(Transport(url=workshop.service.url, credentials=credentials)) as transport:
        yield IndexingClient(transport)


def opened(
    central: IndexingClient, repository: Path, project: str, *, forge_key: int | None = None
) -> tuple[OpenRequest, OpenedRun]:
    """A run that was opened for the repository's newest commit."""
    request = OpenRequest(
        org_id=WORKSHOP,
        project_id=project,
        ref="refs/heads/main",
        commit_sha=git(repository, "rev-parse", "HEAD"),
        extractor="test-1",
        repository_id=forge_key,
    )
    return request, central.open_run(request)


def name_it(central: IndexingClient, repository: Path, project: str, *, forge_key: int) -> None:
    """Let the service know the name of the repository that has GitHub's id."""
    _, run = opened(central, repository, project, forge_key=forge_key)
    central.abandon_run(run.run_id, "up_to_date")


def fail_a_run(central: IndexingClient, repository: Path, project: str) -> None:
    """Announce a full run of whose tree nothing was sent."""
    request, run = opened(central, repository, project)
    entry = TreeEntry(path="never_sent.py", mode="100644", blob="0" * 40, size=1)
    central.put_tree(run.run_id, encode_tree([entry]))
    plan = Plan(Mode.FULL, Reason.REQUESTED)
    central.send_webhook(request, run, plan, batches=0, stats=RunStats())
    with pytest.raises(Exception, match="failed"):
        central.wait_for_apply(run.run_id, timeout_seconds=WAIT_SECONDS)


def test_a_moved_call_is_answered_where_it_is_now_and_a_removed_one_no_more(
    workshop: Organization, make_repository: MakeRepository
) -> None:
    index_here(workshop, make_repository("spring", library("spring")), "spring")
    tower = make_repository("spring-tower", user_of("spring"))
    index_here(workshop, tower, "spring-tower")
    assert sites(callers(workshop, "wind_spring")) == ["spring-tower tower.py:5"]

    moved = "# A new first line.\n" + user_of("spring")["tower.py"]
    write_files(tower, {"tower.py": moved})
    commit_all(tower, "Move")
    index_here(workshop, tower, "spring-tower")
    assert sites(callers(workshop, "wind_spring")) == ["spring-tower tower.py:6"]

    write_files(tower, {"tower.py": "def strike():\n    return 2\n"})
    commit_all(tower, "Remove")
    index_here(workshop, tower, "spring-tower")
    answer = callers(workshop, "wind_spring")
    assert answer["callers"] == []
    assert len(answer["definitions"]) == 1


def test_a_definition_that_was_removed_leaves_no_dangling_answer(
    workshop: Organization, make_repository: MakeRepository
) -> None:
    gear = make_repository("gear", library("gear"))
    index_here(workshop, gear, "gear")
    index_here(workshop, make_repository("gear-tower", user_of("gear")), "gear-tower")

    write_files(gear, {"gear/__init__.py": "def turn_gear():\n    return 1\n"})
    commit_all(gear, "Rename the function")
    index_here(workshop, gear, "gear")

    with pytest.raises(httpx.HTTPStatusError, match="404"):
        callers(workshop, "wind_gear")
    assert workshop.get("trace/callees", symbol="strike", project="gear-tower")["callees"] == []
    assert callers(workshop, "turn_gear")["callers"] == []


def test_a_deleted_repository_leaves_no_dangling_answer(
    workshop: Organization, make_repository: MakeRepository
) -> None:
    index_here(workshop, make_repository("bell", library("bell")), "bell")
    for project in ("bell-tower", "bell-chapel"):
        index_here(workshop, make_repository(project, user_of("bell")), project)

    delete_repository(workshop, "bell-chapel")
    answer = callers(workshop, "wind_bell")
    assert sites(answer) == ["bell-tower tower.py:5"]
    assert "bell-chapel" not in {row["project"] for row in answer["receipt"]["projects"]}

    delete_repository(workshop, "bell")
    with pytest.raises(httpx.HTTPStatusError, match="404"):
        callers(workshop, "wind_bell")
    assert workshop.get("trace/callees", symbol="strike", project="bell-tower")["callees"] == []


def delete_repository(acme: Organization, name: str) -> None:
    """There is no route for it yet: as an administrator would, on the server."""
    acme.service.manage(
        "shell",
        "-c",
        "from central.repositories.models import Repository; "
        f"Repository.objects.get(organization__slug={acme.slug!r}, name={name!r}).delete()",
    )


def test_a_renamed_repository_is_answered_under_its_new_name_alone(
    workshop: Organization, central: IndexingClient, make_repository: MakeRepository
) -> None:
    index_here(workshop, make_repository("pivot", library("pivot")), "pivot")
    tower = make_repository("pivot-tower", user_of("pivot"))
    name_it(central, tower, "pivot-tower", forge_key=71)
    index_here(workshop, tower, "pivot-tower")

    name_it(central, tower, "pivot-belfry", forge_key=71)

    answer = callers(workshop, "wind_pivot")
    assert sites(answer) == ["pivot-belfry tower.py:5"]
    assert answer["receipt"]["complete"]
    callees = workshop.get("trace/callees", symbol="strike", project="pivot-belfry")
    assert [row["callee"]["project"] for row in callees["callees"]] == ["pivot"]


@pytest.mark.parametrize("reason", ["failed", "behind"])
def test_the_receipt_is_incomplete_while_a_dependent_repository_is_not_current(
    workshop: Organization, central: IndexingClient, make_repository: MakeRepository, reason: str
) -> None:
    name = f"lever{reason}"
    tower_name = f"{name}-tower"
    index_here(workshop, make_repository(name, library(name)), name)
    tower = make_repository(tower_name, user_of(name))
    index_here(workshop, tower, tower_name)
    assert callers(workshop, f"wind_{name}")["receipt"]["complete"]

    write_files(tower, {"more.py": f"from {name} import wind_{name}\n\nTOLD = wind_{name}()\n"})
    commit_all(tower, "Call it again")
    if reason == "failed":
        fail_a_run(central, tower, tower_name)
    else:
        _, run = opened(central, tower, tower_name)
        central.abandon_run(run.run_id, "cancelled")

    answer = callers(workshop, f"wind_{name}")
    assert sites(answer) == [f"{tower_name} tower.py:5"], "what is indexed is still answered"
    assert not answer["receipt"]["complete"]
    missing = {row["project"]: row["reason"] for row in answer["receipt"]["missing"]}
    assert missing[tower_name] == reason

    index_here(workshop, tower, tower_name)
    answer = callers(workshop, f"wind_{name}")
    assert sorted(sites(answer)) == [f"{tower_name} more.py:3", f"{tower_name} tower.py:5"]
    assert answer["receipt"]["complete"]


def test_a_file_moves_between_generated_and_written(
    workshop: Organization, make_repository: MakeRepository
) -> None:
    made = {"gong/made.py": "# @generated by a tool\ndef ring_gong():\n    return 1\n"}
    gong = make_repository("gong", {**library("gong"), **made})
    report = index_here(workshop, gong, "gong")
    assert (report["files"]["changed"], report["generated"]) == (3, 1)
    status = workshop.get("index/status", project="gong")["projects"][0]
    assert (status["files"], status["generated"], status["chunks"]) == (3, 1, 2)
    tower = user_of("gong")["tower.py"].replace("from gong ", "from gong.made ")
    tower_files = {**user_of("gong"), "tower.py": tower.replace("wind_gong", "ring_gong")}
    index_here(workshop, make_repository("gong-tower", tower_files), "gong-tower")

    def is_generated() -> bool:
        answer = callers(workshop, "ring_gong")
        assert sites(answer) == ["gong-tower tower.py:5"]
        [definition] = answer["definitions"]
        assert answer["callers"][0]["callee"]["generated"] is definition["generated"]
        return bool(definition["generated"])

    def found() -> list[str]:
        answer = workshop.post("search", query="ring the gong", include_projects=["gong"])
        return [row["file"] for row in answer["results"]]

    assert is_generated()
    assert "gong/made.py" not in found()
    for name, content, mode in (
        ("gong/made.py", "def ring_gong():\n    return 1\n", "incremental"),
        (".gitattributes", "*made* linguist-generated\n", "full"),
        (".gitattributes", "\n", "full"),
    ):
        write_files(gong, {name: content})
        commit_all(gong, f"{name} {mode}")
        assert index_here(workshop, gong, "gong")["mode"] == mode
        expected = content.startswith("*")
        assert is_generated() is expected
        assert ("gong/made.py" in found()) is not expected
