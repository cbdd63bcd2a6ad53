"""Backfill: real clones over HTTP from a stand-in of GitHub, the real indexer, a real service."""

import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from scripts.local_git import commit_all, git, new_repository
from scripts.local_service import Organization, Service, running_service
from tests.e2e.conftest import prepared_data_directory
from tests.local_forge import OWNER_ID, LocalForge, LocalRepository
from tests.waiting import wait_until

REPOSITORIES = 8  # two at a time
APP_SECRET = "the App's secret"
WORKFLOW = ".github/workflows/code-index.yml"


@pytest.fixture(scope="module")
def forge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalForge]:
    with LocalForge(tmp_path_factory.mktemp("forge")) as running:
        yield running


@pytest.fixture(scope="module")
def service(forge: LocalForge, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    mirrors = tmp_path_factory.mktemp("mirrors")
    environment = {
        **forge.settings(app=True),
        "GITHUB_WEBHOOK_SECRET": APP_SECRET,
        "AETERNA_SWEEP_SECONDS": "1",
        "AETERNA_GIT_DIRECTORIES": str(mirrors),
    }
    with (
        prepared_data_directory() as directory,
        running_service(directory, environment) as running,
    ):
        yield running


@pytest.fixture(scope="module")
def acme(service: Service) -> Organization:
    """An organisation that belongs to the forge's owner, with an administrator's token."""
    return administrated(service)


@pytest.fixture(scope="module")
def made(forge: LocalForge) -> dict[str, LocalRepository]:
    """The forge's repositories that are to be indexed, by name; it has others, too."""
    names = [f"service{number}" for number in range(REPOSITORIES)]
    repositories = {name: forge.add(name, source_of(name)) for name in names}
    repositories["service1"].commit({WORKFLOW: "name: Code index\n"})
    forge.add("empty")
    forge.add("archive", source_of("archive"), archived=True)
    return repositories


@pytest.fixture(scope="module")
def backfilled(made: dict[str, LocalRepository], acme: Organization) -> dict[str, Any]:
    """The progress of the finished backfill, and the index's status then."""
    done = wait_until_finished(acme, acme.post("onboarding", owner="acme")["id"])
    return done | {"status": acme.get("index/status")["projects"]}


def administrated(service: Service) -> Organization:
    token = service.create_organization(
        "acme", "--github-owner-id", str(OWNER_ID), scopes="index,search,admin"
    )
    return Organization(service, "acme", token)


def source_of(name: str) -> dict[str, str | bytes]:
    return {f"{name}.py": f"def {name}_total(prices):\n    return sum(prices)\n"}


def progress_of(organization: Organization, backfill_id: str) -> dict[str, Any]:
    return organization.get(f"onboarding/{backfill_id}")


def wait_until_finished(organization: Organization, backfill_id: str) -> dict[str, Any]:
    """Wait as long as there is progress."""
    seen = found = progress_of(organization, backfill_id)

    def has_advanced() -> bool:
        nonlocal found
        found = progress_of(organization, backfill_id)
        return found["finished"] or found["repositories"] != seen["repositories"]

    while not found["finished"]:
        seen = found
        wait_until(has_advanced, f"no progress: {seen}")
    return found


def commit_at(organization: Organization, project: str) -> str | None:
    rows = organization.get("index/status")["projects"]
    commits = {row["project"]: row["last_indexed_commit"] for row in rows}
    return commits.get(project)


def push(service: Service, repository: LocalRepository, after: str) -> None:
    """Deliver what GitHub's App sends after a push."""
    body = json.dumps(
        {
            "ref": "refs/heads/main",
            "before": "0" * 40,
            "after": after,
            "repository": {
                "id": repository.id,
                "name": repository.name,
                "owner": {"id": repository.owner_id, "login": repository.owner},
                "pushed_at": int(time.time()),
            },
        }
    ).encode()
    signature = hmac.new(APP_SECRET.encode(), body, hashlib.sha256).hexdigest()
    response = httpx.post(
        f"{service.url}/api/v1/github/webhook",
        content=body,
        headers={
            "Content-Type": "application/json",
            "X-GitHub-Event": "push",
            "X-GitHub-Delivery": after,
            "X-Hub-Signature-256": f"sha256={signature}",
        },
    )
    assert response.json() == {"outcome": "push noted"}


def test_an_organisation_is_indexed(
    made: dict[str, LocalRepository], acme: Organization, backfilled: dict[str, Any]
) -> None:
    assert backfilled["counts"] == {
        "queued": 0,
        "running": 0,
        "done": REPOSITORIES,
        "failed": 0,
        "skipped": 1,
    }, backfilled
    assert backfilled["left_out"] == {"archived": 1}
    rows = {row["project"]: row for row in backfilled["repositories"]}
    assert rows["empty"]["error"] == "It has no commit yet."
    assert rows["service0"]["indexed_by"] == "central"
    assert rows["service1"]["indexed_by"] == "action"
    indexed = {row["project"]: row["last_indexed_commit"] for row in backfilled["status"]}
    assert {name: rows[name]["commit"] for name in made} == {name: indexed[name] for name in made}
    found = acme.search("service7_total", mode="symbol")["results"]
    assert [(hit["project"], hit["file"]) for hit in found] == [("service7", "service7.py")]


def test_the_forge_s_credentials_are_in_no_file(
    forge: LocalForge, service: Service, backfilled: dict[str, Any]
) -> None:
    """Neither in the database nor in the log, and no clone is left."""
    del backfilled
    secrets = [token.encode() for token in forge.installation_tokens]
    assert len(secrets) > REPOSITORIES
    for path in service.data_dir.rglob("*"):
        content = content_of(path)
        assert not any(secret in content for secret in secrets), path
    clones = service.data_dir / "backfill"
    wait_until(lambda: not list(clones.iterdir()), "a clone is left")


def content_of(path: Path) -> bytes:
    """A file's content; the server's files come and go."""
    try:
        return path.read_bytes() if path.is_file() else b""
    except FileNotFoundError:
        return b""


def test_a_clone_s_token_reads_its_repository_alone(
    forge: LocalForge, acme: Organization, backfilled: dict[str, Any]
) -> None:
    del backfilled
    lists = [one for one in acme.get("onboarding")["backfills"] if one["owner"]]
    allowed = list(forge.installation_tokens.values())
    assert sum(ids is None for ids in allowed) == len(lists)
    assert all(ids is None or len(ids) == 1 for ids in allowed)


def histories(service: Service) -> list[int]:
    """How many are queued by the command, were before, and have theirs."""
    first = service.manage("backfill", "acme", "--history").stdout.partition("\n")[0]
    return [int(number) for number in re.findall(r"\d+", first)]


def test_the_past_comes_anew_with_what_an_earlier_run_did_not_send(
    service: Service, acme: Organization, backfilled: dict[str, Any]
) -> None:
    """Here authors, whom no policy asked for then; and lines, as every clone has them."""
    del backfilled
    service.manage("authors", "--organization", "acme", "plain")
    queued, *others = histories(service)
    assert queued >= REPOSITORIES - 2  # some may have a workflow
    assert others == [0, 0]
    wait_until(lambda: histories(service) == [0, 0, queued], "the past was not brought")
    rows = [json.loads(line) for line in acme.dump("service5").splitlines()]
    [author] = [row["author"] for row in rows if row["type"] == "commit"]
    assert "@" in author
    [patch] = [row["patch"] for row in rows if row["type"] == "commit_patch"]
    assert patch[0][0] == "service5.py"
    [hit] = acme.search('type:diff "service5_total"')["results"]
    assert (hit["file"], hit["change"]["author"]) == ("service5.py", author)


def test_a_push_is_followed_unless_a_workflow_does(
    forge: LocalForge,
    service: Service,
    acme: Organization,
    made: dict[str, LocalRepository],
    backfilled: dict[str, Any],
) -> None:
    changed = made["service0"].commit({"new.py": "def newly_written():\n    return 1\n"})
    push(service, made["service0"], changed)
    wait_until(lambda: commit_at(acme, "service0") == changed, "the push was not followed")
    assert acme.search("newly_written", mode="symbol")["count"] == 1
    pushed, begun = acme.get("files/history", project="service0")["commits"]
    assert [pushed["commit"], *pushed["parents"]] == [changed, begun["commit"]]
    assert [own["path"] for own in pushed["changes"]] == ["new.py"]

    _index_as_job(acme, forge, made["service2"])
    taken_over = commit_at(acme, "service2")
    push(service, made["service2"], made["service2"].commit({"later.py": "later = 1\n"}))
    push(service, made["service3"], moved := made["service3"].commit({"later.py": "later = 1\n"}))
    wait_until(lambda: commit_at(acme, "service3") == moved, "the push was not followed")
    rows = progress_of(acme, backfilled["id"])["repositories"]
    (row,) = [row for row in rows if row["project"] == "service2"]
    assert (row["indexed_by"], row["state"]) == ("action", "done")
    assert commit_at(acme, "service2") == taken_over


def _index_as_job(
    organization: Organization, forge: LocalForge, repository: LocalRepository
) -> None:
    """Index as a job of GitHub does, with its event."""
    repository.commit({"by_job.py": "by_job = 1\n"})
    environment = {
        "GITHUB_SERVER_URL": forge.url,
        "GITHUB_REPOSITORY": f"acme/{repository.name}",
        "GITHUB_EVENT_NAME": "push",
    }
    organization.index(repository.tree, repository.name, environment=environment)


def test_the_same_request_again_finds_everything_indexed(
    acme: Organization, backfilled: dict[str, Any]
) -> None:
    before = {row["project"]: row["generation"] for row in acme.get("index/status")["projects"]}
    selection = {"include": ["service1", "service4"]}
    again = wait_until_finished(
        acme, acme.post("onboarding", owner="acme", selection=selection)["id"]
    )
    assert again["id"] != backfilled["id"]
    assert again["counts"]["done"] == 2, again
    after = {row["project"]: row["generation"] for row in acme.get("index/status")["projects"]}
    assert after == before


def test_a_directory_that_the_operator_names_is_indexed_by_command_alone(
    service: Service, acme: Organization
) -> None:
    mirrors = Path(service.environment["AETERNA_GIT_DIRECTORIES"])
    mirror = new_repository(mirrors / "mirrored")
    (mirror / "mirrored.py").write_text("def mirrored_total():\n    return 1\n")
    commit = commit_all(mirror, "First")
    with pytest.raises(httpx.HTTPStatusError) as refused:
        acme.post("onboarding", urls=[f"file://{mirror}"])
    assert refused.value.response.json()["code"] == "git_credential_refused"
    done = service.manage("backfill", "acme", "--url", f"file://{mirror}")
    assert "1 indexed, 0 failed, 0 skipped" in done.stdout
    assert commit_at(acme, "mirrored") == commit


def test_a_killed_server_goes_on_where_it_was(tmp_path: Path) -> None:
    """In the middle of a clone: nothing is lost, and its children end with it."""
    with (
        LocalForge(tmp_path) as forge,
        prepared_data_directory() as directory,
        started(directory, forge.settings() | {"AETERNA_SWEEP_SECONDS": "1"}) as service,
    ):
        names = [f"part{number}" for number in range(4)]
        for name in names:
            forge.add(name, source_of(name))
        acme = administrated(service)
        backfill_id = acme.post("onboarding", owner="acme")["id"]

        def rows() -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = progress_of(acme, backfill_id)["repositories"]
            return found

        wait_until(lambda: any(row["state"] == "done" for row in rows()), "nothing was indexed")
        forge.held.clear()  # the next clones wait
        wait_until(lambda: any(row["stage"] == "cloning" for row in rows()), "no clone began")
        wait_until(lambda: bool(_git_children(service)), "git did not start")
        children = _git_children(service)
        unfinished = [row for row in rows() if row["state"] != "done"]
        service.kill()
        psutil.wait_procs(children, timeout=60)
        assert not any(child.is_running() for child in children)
        leftovers = list((directory / "backfill").iterdir())
        assert leftovers
        log_length = len(service.log.read_text())
        forge.held.set()
        service.start()
        done = wait_until_finished(acme, backfill_id)
        assert done["counts"]["done"] == len(names), done
        assert not any(path.exists() for path in leftovers)
        assert sorted(row["project"] for row in acme.get("index/status")["projects"]) == names
        log = service.log.read_text()[log_length:]
        assert log.count("backfill_started") <= len(unfinished), "some were begun too early"


def _git_children(service: Service) -> list[psutil.Process]:
    server = psutil.Process(int(service.record()["pid"]))
    return [child for child in server.children(recursive=True) if child.name().startswith("git")]


@contextmanager
def started(directory: Path, environment: dict[str, str]) -> Iterator[Service]:
    """A service that a test may kill and start again."""
    service = Service(directory, environment)
    try:
        yield service.start()
    finally:
        service.stop()


def test_wanted_branches_are_cloned_and_go_when_they_are_gone(
    forge: LocalForge, acme: Organization, backfilled: dict[str, Any]
) -> None:
    del backfilled  # before there is one more
    selection = {"include": ["branched"]}
    made = forge.add(
        "branched", {"a.py": "main = 1\n", ".codesearch.toml": 'branches = ["release/*"]\n'}
    )
    for number in (1, 2):
        git(made.tree, "checkout", "--quiet", "-b", f"release/{number}", "main")
        (made.tree / "a.py").write_text(f"release_{number} = 1\n")
        commit_all(made.tree, "Release")
        git(made.tree, "push", "--quiet", "origin", f"release/{number}")
    git(made.tree, "checkout", "--quiet", "main")

    def indexed() -> set[str]:
        rows = acme.get("index/status")["projects"]
        [found] = [row for row in rows if row["project"] == "branched"]
        return {branch["ref"] for branch in found["branches"] if branch["last_indexed_commit"]}

    wait_until_finished(acme, acme.post("onboarding", owner="acme", selection=selection)["id"])
    assert indexed() == {"release/1", "release/2"}
    git(made.bare, "update-ref", "-d", "refs/heads/release/2")
    wait_until_finished(acme, acme.post("onboarding", owner="acme", selection=selection)["id"])
    assert indexed() == {"release/1"}
