"""A merge is indexed and the organisation can search it: the embedded service, end to end."""

import json
from pathlib import Path

import httpx
import psutil
import pytest

from scripts.local_git import commit_all, git
from scripts.local_service import Organization, Service, free_address
from tests.e2e.conftest import MakeRepository, write_files
from tests.e2e.indexing import index_here
from tests.waiting import wait_until

LOGIN = '''"""Signing in."""


def check_password(stored: str, given: str) -> bool:
    """Compare a password with its stored hash in constant time."""
    return hash_password(given) == stored
'''


TOTP = "def verify_one_time_password(code):\n    return code\n"


def six_modules(prefix: str = "") -> dict[str, str]:
    return {
        f"src/{prefix}module_{n}.py": f"def {prefix}function_{n}():\n    return {n}\n"
        for n in range(6)
    }


def test_a_command_before_the_first_start_says_to_start(data_dir: Path) -> None:
    done = Service(data_dir).manage("create_organization", "acme", check=False)
    assert done.returncode == 1
    assert "`make serve`" in done.stderr
    assert str(data_dir) in done.stderr
    assert "Traceback" not in done.stderr


def test_index_update_on_pr_merge(acme: Organization, make_repository: MakeRepository) -> None:
    repository = make_repository("merge", {"src/login.py": LOGIN})
    first = acme.index(repository, "merge")
    assert (first["mode"], first["reason"]) == ("full", "first_index")

    git(repository, "checkout", "-q", "-b", "feature")
    write_files(repository, {"src/totp.py": TOTP})
    commit_all(repository, "Add one-time passwords")
    git(repository, "checkout", "-q", "main")
    git(repository, "merge", "-q", "--no-ff", "-m", "Merge feature", "feature")
    report = acme.index(repository, "merge")

    assert (report["mode"], report["reason"]) == ("incremental", "fast_forward")
    hit = acme.search("verify one time password", include_projects=["merge"])["results"][0]
    assert hit["file"] == "src/totp.py"
    assert hit["commit"] == git(repository, "rev-parse", "HEAD")
    merged, added, _ = acme.get("files/history", project="merge")["commits"]
    assert (merged["subject"], merged["commit"]) == ("Merge feature", hit["commit"])
    assert (added["subject"], added["merge"]) == ("Add one-time passwords", hit["commit"])
    assert acme.get("files/history", project="merge", path="src/totp.py")["commits"] == [added]


def test_index_only_changed_files(acme: Organization, make_repository: MakeRepository) -> None:
    repository = make_repository("three", six_modules())
    index_here(acme, repository, "three")
    write_files(
        repository,
        {f"src/module_{n}.py": f"def changed_{n}():\n    return {n}\n" for n in (1, 3, 5)},
    )
    commit_all(repository, "Change three")

    report = index_here(acme, repository, "three")

    assert report["files"] == {"changed": 3, "removed": 0, "skipped": 0}
    assert report["base_commit"] == git(repository, "rev-parse", "HEAD~1")


def test_handle_force_push(acme: Organization, make_repository: MakeRepository) -> None:
    repository = make_repository("forced", six_modules())
    index_here(acme, repository, "forced")
    git(repository, "checkout", "-q", "--orphan", "other")
    write_files(repository, {"src/module_0.py": "def other_history():\n    return 0\n"})
    commit_all(repository, "Another history")
    git(repository, "branch", "-qf", "main", "HEAD")
    git(repository, "checkout", "-q", "main")

    report = index_here(acme, repository, "forced")

    assert (report["mode"], report["reason"]) == ("full", "diverged")
    assert report["files"]["changed"] == 1, "unchanged files are not processed again"
    [left] = acme.get("files/history", project="forced")["commits"]
    assert left["subject"] == "Another history"
    index_here(acme, repository, "forced-afresh")
    assert acme.dump("forced") == acme.dump("forced-afresh")


def test_track_indexing_state(acme: Organization, make_repository: MakeRepository) -> None:
    repository = make_repository("tracked", {"src/login.py": LOGIN})
    index_here(acme, repository, "tracked")

    [status] = acme.get("index/status", project="tracked")["projects"]

    assert status["last_indexed_commit"] == git(repository, "rev-parse", "HEAD")
    assert status["state"] == "current"
    assert status["indexed_at"].endswith("Z")


def test_same_commit_again_is_up_to_date(
    acme: Organization, make_repository: MakeRepository
) -> None:
    repository = make_repository("again", {"src/login.py": LOGIN})
    index_here(acme, repository, "again")

    report = index_here(acme, repository, "again")

    assert (report["mode"], report["reason"]) == ("none", "up_to_date")


def test_an_old_job_run_again_does_not_rewind_the_index(
    acme: Organization, make_repository: MakeRepository, tmp_path: Path
) -> None:
    origin = make_repository("origin", {"src/login.py": LOGIN})
    old = tmp_path / "old-job"
    git(tmp_path, "clone", "-q", str(origin), str(old))
    write_files(origin, {"src/new.py": "def newer():\n    return 1\n"})
    newest = commit_all(origin, "Newer")
    current = tmp_path / "new-job"
    git(tmp_path, "clone", "-q", str(origin), str(current))
    index_here(acme, current, "rerun")

    report = index_here(acme, old, "rerun")

    assert (report["mode"], report["reason"]) == ("none", "superseded")
    [status] = acme.get("index/status", project="rerun")["projects"]
    assert status["last_indexed_commit"] == newest


def test_a_branch_that_was_rewound_is_indexed_as_it_is_now(
    acme: Organization, make_repository: MakeRepository
) -> None:
    repository = make_repository("rewound", {"src/login.py": LOGIN})
    write_files(repository, {"src/regret.py": "def regret():\n    return 1\n"})
    commit_all(repository, "Regretted")
    index_here(acme, repository, "rewound")
    git(repository, "reset", "-q", "--hard", "HEAD~1")

    report = index_here(acme, repository, "rewound")

    assert (report["mode"], report["reason"]) == ("full", "rewound")
    assert acme.search("regret", mode="symbol", include_projects=["rewound"])["count"] == 0


def test_an_untracked_branch_is_refused_and_nothing_changes(
    acme: Organization, make_repository: MakeRepository
) -> None:
    repository = make_repository("branches", {"src/login.py": LOGIN})
    index_here(acme, repository, "branches")
    before = acme.dump("branches")
    git(repository, "checkout", "-q", "-b", "topic")
    write_files(repository, {"src/topic.py": "def topic():\n    return 1\n"})
    commit_all(repository, "On a branch")

    refused = acme.try_index(repository, "branches", "--ref", "refs/heads/topic")

    assert refused.returncode == 5
    assert "ref_not_tracked" in refused.stderr or "tracked" in refused.stderr
    assert acme.dump("branches") == before


def test_a_wrong_token_is_refused_with_its_exit_code_and_never_shown(
    acme: Organization, make_repository: MakeRepository
) -> None:
    repository = make_repository("wrong-token", {"src/login.py": LOGIN})
    wrong = "aet_" + "x" * 43

    refused = acme.try_index(repository, "wrong-token", environment={"AETERNA_TOKEN": wrong})

    assert refused.returncode == 5
    assert wrong not in refused.stderr + refused.stdout


def test_a_server_that_is_away_is_said_with_its_exit_code(
    acme: Organization, make_repository: MakeRepository
) -> None:
    repository = make_repository("away", {"src/login.py": LOGIN})

    nowhere = {"AETERNA_URL": "http://127.0.0.1:9", "AETERNA_RETRY_SECONDS": "1"}
    away = acme.try_index(repository, "away", environment=nowhere)

    assert away.returncode == 4
    assert "127.0.0.1:9" in away.stderr


def test_two_runs_at_once_one_wins_and_the_other_plans_again(
    acme: Organization, make_repository: MakeRepository
) -> None:
    repository = make_repository("race", six_modules())
    index_here(acme, repository, "race")
    write_files(repository, six_modules("other_"))
    commit_all(repository, "Six more")

    both = [acme.start_index(repository, "race") for _ in range(2)]
    outputs = [process.communicate(timeout=60) for process in both]

    assert [process.returncode for process in both] == [0, 0], outputs
    modes = sorted(json.loads(output)["mode"] for output, _ in outputs)
    assert modes in (["incremental", "none"], ["incremental", "incremental"])
    index_here(acme, repository, "race-afresh")
    assert acme.dump("race") == acme.dump("race-afresh")


def test_a_server_that_was_killed_serves_the_same_answers_again_and_its_end_leaves_no_process(
    prepared_dir: Path, make_repository: MakeRepository
) -> None:
    at_one_address = {"AETERNA_BIND": free_address()}  # which the results name
    service = Service(prepared_dir, at_one_address).start()
    try:
        acme = service.organization("acme")
        repository = make_repository("kept", six_modules() | {"src/login.py": LOGIN})
        index_here(acme, repository, "kept")
        before = acme.search("compare a password in constant time")["results"]

        service.kill()
        service.start()

        assert acme.search("compare a password in constant time")["results"] == before
        assert service.manage("reconcile", "--check").returncode == 0
    finally:
        service.stop()
    wait_until(lambda: not processes_of(prepared_dir), "a process still runs")


def processes_of(data_dir: Path) -> list[str]:
    commands = (process.info["cmdline"] or () for process in psutil.process_iter(["cmdline"]))
    return [line for line in map(" ".join, commands) if str(data_dir) in line]


@pytest.mark.parametrize("route", ["livez", "readyz", "api/v1/schema"])
def test_operations_routes_need_no_credential(service: Service, route: str) -> None:
    assert httpx.get(f"{service.url}/{route}").status_code == 200
