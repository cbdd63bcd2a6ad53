"""Whole runs: real git, real worker processes, real HTTP against the stand-in."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from indexer.bundle import gzip
from indexer.client.api import IndexingClient
from indexer.client.credentials import StaticToken
from indexer.client.transport import Transport
from indexer.config.settings import Settings
from indexer.errors import CentralRefusedError, ConfigurationError, RunFailedError, RunStaleError
from indexer.git.repository import Repository
from indexer.pipeline.job import ScipRequest, make_job
from indexer.pipeline.report import Report, RunProgress
from indexer.pipeline.run import index
from indexer.records.files import (
    LANGUAGE_DECLARED,
    FileRecord,
    GeneratedBy,
    Removal,
    SkipReason,
)
from indexer.records.manifests import Ecosystem, Manifest, Pin
from indexer.records.runs import Mode, Plan, Reason, Requested
from tests.indexer.central import TOKEN, StandIn
from tests.indexer.repositories import Sandbox

FILES: dict[str, str | bytes | None] = {
    "a.py": "def a():\n    return 1\n",
    "b.py": "def b():\n    return 2\n",
    "lib/c.py": "class C:\n    def m(self):\n        return 3\n",
    "data.bin": b"\0\1\2",
    "uv.lock": '[[package]]\nname = "acme-common"\nversion = "2.2.1"\n',
    "go.sum": "",
}


class Recorded:
    """A progress that remembers."""

    def __init__(self) -> None:
        self.plans: list[Plan] = []
        self.stages: list[tuple[str, int]] = []
        self.steps = 0
        self.reached: list[int] = []
        self.waits = 0

    def plan(self, plan: Plan) -> None:
        self.plans.append(plan)

    def start(self, stage: str, total: int) -> None:
        self.stages.append((stage, total))

    def update(self, percent: int) -> None:
        self.reached.append(percent)

    def wait(self) -> None:
        self.waits += 1

    def advance(self) -> None:
        self.steps += 1


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox(tmp_path / "shop")
    sandbox.commit("first", FILES)
    return sandbox


def run(
    central: StandIn,
    sandbox: Sandbox,
    mode: str = "auto",
    ref: str | None = None,
    progress: Recorded | None = None,
    run_progress: RunProgress | None = None,
    repository: Repository | None = None,
    scip: ScipRequest | None = None,
    **environ: str,
) -> Report:
    repository = repository or Repository(sandbox.path)
    named = {"AETERNA_URL": central.url, "AETERNA_TOKEN": TOKEN, "AETERNA_ORGANIZATION": "acme"}
    settings = Settings.load(
        named | environ,
        project_dir=sandbox.path,
        default_project="shop",
        overrides={},
    )
    job = make_job(
        repository, settings, ref=ref, requested=Requested(mode), timeout_seconds=20.0, scip=scip
    )
    access = replace(job.access, retry_seconds=0.0)
    job = replace(job, access=access)
    transport = Transport(url=central.url, credentials=StaticToken(TOKEN), sleep=lambda _: None)
    try:
        return index(
            job=job,
            repository=repository,
            central=IndexingClient(transport),
            progress=progress or Recorded(),
            run_progress=run_progress or RunProgress(),
        )
    finally:
        transport.close()
        repository.close()


def generated(central: StandIn) -> dict[str, GeneratedBy | None]:
    return {
        record.path: record.generated
        for record in central.records()
        if isinstance(record, FileRecord) and not record.skipped
    }


def skipped(central: StandIn) -> dict[str, SkipReason | None]:
    return {
        record.path: record.skipped
        for record in central.records()
        if isinstance(record, FileRecord)
    }


def test_a_first_run_sends_the_tree_and_every_file(central: StandIn, sandbox: Sandbox) -> None:
    report = run(central, sandbox)
    assert (report.mode, report.reason) == (Mode.FULL, Reason.FIRST_INDEX)
    assert central.tree is not None
    assert {entry.path for entry in central.tree} == set(FILES)
    assert skipped(central) == {
        "a.py": None,
        "b.py": None,
        "lib/c.py": None,
        "data.bin": SkipReason.BINARY,
        "uv.lock": SkipReason.LOCK_FILE,
        "go.sum": SkipReason.LOCK_FILE,
    }
    records = [record for record in central.records() if isinstance(record, FileRecord)]
    assert all(chunk.vector is not None for record in records for chunk in record.chunks)
    assert (report.stats.files_changed, report.stats.files_skipped) == (3, 3)
    assert report.languages == {"python": 3}
    assert report.skipped == {SkipReason.BINARY: 1, SkipReason.LOCK_FILE: 2}
    assert (report.last_indexed_commit, report.fetched_history) == (report.commit_sha, False)
    assert report.stats.chunks == sum(len(record.chunks) for record in records) > 0
    assert (report.stats.embedded, report.stats.reused) == (report.stats.chunks, 0)
    assert set(report.seconds) == {"open", "plan", "select", "process", "apply"}
    assert central.webhook["batches"] == len(central.batches)
    assert central.webhook["stats"]["chunks"] == report.stats.chunks
    assert central.opened[0] == {
        "org_id": "acme",
        "project_id": "shop",
        "ref": "refs/heads/main",
        "commit_sha": report.commit_sha,
        "extractor": central.base_extractor,
        "default_branch": "main",
    }


def test_a_lock_file_tells_what_it_pins_and_nothing_else(
    central: StandIn, sandbox: Sandbox
) -> None:
    run(central, sandbox)
    told = {
        record.path: record.manifest
        for record in central.records()
        if isinstance(record, FileRecord) and record.skipped
    }
    pins = Manifest(Ecosystem.PYPI, pins=(Pin("acme-common", "2.2.1"),))
    assert told == {"data.bin": None, "go.sum": None, "uv.lock": pins}


def test_the_same_commit_again_is_given_up_as_up_to_date(
    central: StandIn, sandbox: Sandbox
) -> None:
    run(central, sandbox)
    report = run(central, sandbox)
    assert (report.mode, report.reason) == (Mode.NONE, Reason.UP_TO_DATE)
    assert central.abandoned == ["up_to_date"]
    assert central.batches == {}
    assert report.status_url is None


def test_a_fast_forward_sends_only_what_changed(central: StandIn, sandbox: Sandbox) -> None:
    base = run(central, sandbox).commit_sha
    sandbox.git("mv", "b.py", "moved.py")
    sandbox.commit("second", {"a.py": "def a():\n    return 4\n", "uv.lock": None})
    report = run(central, sandbox)
    assert (report.mode, report.reason) == (Mode.INCREMENTAL, Reason.FAST_FORWARD)
    assert central.tree is None
    assert sorted(central.paths()) == ["a.py", "b.py", "moved.py", "uv.lock"]
    removed = {record.path for record in central.records() if isinstance(record, Removal)}
    assert removed == {"b.py", "uv.lock"}
    assert (report.stats.files_changed, report.stats.files_removed) == (2, 2)
    assert central.webhook["base_commit"] == report.base_commit == base


def test_a_commit_without_changes_still_moves_the_index(central: StandIn, sandbox: Sandbox) -> None:
    run(central, sandbox)
    head = sandbox.commit("empty")
    assert run(central, sandbox).mode is Mode.INCREMENTAL
    assert central.webhook["batches"] == 0
    assert central.base_commit == head


def test_rewritten_history_costs_what_differs(central: StandIn, sandbox: Sandbox) -> None:
    run(central, sandbox)
    sandbox.write({"a.py": "def a():\n    return 5\n", "b.py": None})
    sandbox.git("add", "--all")
    sandbox.git("commit", "--quiet", "--amend", "-m", "rewritten")
    report = run(central, sandbox)
    assert (report.mode, report.reason) == (Mode.FULL, Reason.DIVERGED)
    # What only its content tells apart is named by central again, and read again.
    assert central.paths() == ["a.py", "data.bin"]
    assert report.stats.files_removed == 1


def test_going_back_is_followed_at_the_tip_and_refused_elsewhere(
    central: StandIn, sandbox: Sandbox, tmp_path: Path
) -> None:
    old = sandbox.git("rev-parse", "HEAD")
    clone = sandbox.clone_to(tmp_path / "clone")
    sandbox.commit("second", {"new.py": "x = 1\n"})
    run(central, sandbox)
    report = run(central, clone)  # an old job, run again
    assert (report.mode, report.reason) == (Mode.NONE, Reason.SUPERSEDED)
    assert central.abandoned == ["superseded"]
    sandbox.git("reset", "--quiet", "--hard", old)
    assert run(central, sandbox).reason is Reason.REWOUND
    assert "new.py" not in central.stored


@pytest.mark.parametrize("mode", ["full", "force"])
def test_requested_runs(central: StandIn, sandbox: Sandbox, mode: str) -> None:
    run(central, sandbox)
    report = run(central, sandbox, mode)
    assert (report.mode, report.reason) == (Mode(mode), Reason.REQUESTED)
    assert central.tree is not None
    assert len(central.paths()) == (len(FILES) if mode == "force" else 1)


def test_central_may_ask_for_every_file_of_a_commit_that_is_indexed(
    central: StandIn, sandbox: Sandbox
) -> None:
    run(central, sandbox)
    central.orders = {"reindex": True}
    report = run(central, sandbox)
    assert (report.mode, report.reason) == (Mode.FORCE, Reason.REQUESTED)
    assert len(central.paths()) == len(FILES)


@pytest.mark.parametrize(("named", "is_sent"), [([], False), (["unparsed", "later"], True)])
def test_fields_that_earlier_services_refuse_are_sent_if_central_names_them(
    central: StandIn, sandbox: Sandbox, named: list[str], is_sent: bool
) -> None:
    sandbox.commit("broken", {"broken.py": "def f():\n    def = g(1)\n"})
    central.orders = {"record_fields": named}
    run(central, sandbox)
    records = {one.path: one for one in central.records() if isinstance(one, FileRecord)}
    assert (records["broken.py"].unparsed is not None) is is_sent
    assert [one.name for one in records["broken.py"].references] == ["g"]


def test_an_old_job_does_not_carry_out_what_central_asks_for(
    central: StandIn, sandbox: Sandbox, tmp_path: Path
) -> None:
    clone = sandbox.clone_to(tmp_path / "clone")
    sandbox.commit("second", {"new.py": "x = 1\n"})
    run(central, sandbox)
    central.orders = {"reindex": True}
    assert run(central, clone).reason is Reason.SUPERSEDED


def test_new_selection_rules_select_anew_and_process_what_differs(
    central: StandIn, sandbox: Sandbox
) -> None:
    run(central, sandbox)
    sandbox.commit("rules", {".codesearch.toml": '[index]\nexclude = ["lib/"]\n'})
    assert run(central, sandbox).reason is Reason.SELECTION_CHANGED
    assert skipped(central)["lib/c.py"] is SkipReason.EXCLUDED
    assert "a.py" not in central.paths()
    sandbox.commit("attributes", {".gitattributes": "b.py linguist-generated\n"})
    report = run(central, sandbox)
    assert report.reason is Reason.SELECTION_CHANGED
    assert generated(central) == {".gitattributes": None, "b.py": GeneratedBy.ENTRY}
    assert report.generated == 1
    sandbox.commit("no attributes", {".gitattributes": "\n"})
    assert run(central, sandbox).reason is Reason.SELECTION_CHANGED
    assert generated(central) == {".gitattributes": None, "b.py": None}


LEGACY = "# Größe\ndef größe():\n    return 1\n"


def encodings(central: StandIn) -> dict[str, tuple[str, SkipReason | None]]:
    return {
        record.path: (record.encoding, record.skipped)
        for record in central.records()
        if isinstance(record, FileRecord)
    }


def test_an_attribute_that_tells_an_encoding_has_its_files_read_again(
    central: StandIn, sandbox: Sandbox
) -> None:
    central.orders = {"record_fields": ["encoding"]}
    blob = sandbox.git("hash-object", "-w", "--stdin", stdin=LEGACY.encode("utf-16-be"))
    sandbox.git("update-index", "--add", "--cacheinfo", f"100644,{blob},old.py")
    sandbox.git("commit", "--quiet", "-m", "second")
    run(central, sandbox)
    assert encodings(central)["old.py"] == ("", SkipReason.BINARY)
    attributes = sandbox.git(
        "hash-object", "-w", "--stdin", stdin=b"*.py working-tree-encoding=UTF-16BE\n"
    )
    sandbox.git("update-index", "--add", "--cacheinfo", f"100644,{attributes},.gitattributes")
    sandbox.git("commit", "--quiet", "-m", "third")
    report = run(central, sandbox)
    assert report.reason is Reason.SELECTION_CHANGED
    assert encodings(central)["old.py"] == ("utf-16-be", None)
    [old] = [one for one in central.records() if one.path == "old.py"]
    assert isinstance(old, FileRecord)
    assert (old.content, old.blob, old.size) == (LEGACY, blob, 2 * len(LEGACY))
    assert [symbol.name for symbol in old.symbols] == ["größe"]


def test_an_attribute_that_tells_a_language_has_its_files_read_again(
    central: StandIn, sandbox: Sandbox
) -> None:
    central.orders = {"record_fields": [LANGUAGE_DECLARED]}
    sandbox.commit("second", {"cart.inc": "def total(): pass\n"})
    run(central, sandbox)
    sandbox.commit("third", {".gitattributes": "*.inc linguist-language=Python3\n"})
    report = run(central, sandbox)
    assert report.reason is Reason.SELECTION_CHANGED
    [found] = [one for one in central.records() if one.path == "cart.inc"]
    assert isinstance(found, FileRecord)
    assert (found.language, found.language_declared) == ("python", True)
    assert [symbol.name for symbol in found.symbols] == ["total"]


def test_a_service_that_would_not_ask_again_gets_no_declared_language(
    central: StandIn, sandbox: Sandbox
) -> None:
    files = {"cart.inc": "def total(): pass\n", ".gitattributes": "* linguist-language=Python\n"}
    sandbox.commit("second", files)
    run(central, sandbox)
    [found] = [one for one in central.records() if one.path == "cart.inc"]
    assert isinstance(found, FileRecord)
    assert found.language == "text"


@pytest.mark.parametrize("fields", [["encoding", "of_a_later_version"], [], None])
def test_a_service_that_knows_no_encodings_gets_none(
    central: StandIn, sandbox: Sandbox, fields: list[str] | None
) -> None:
    central.orders = {} if fields is None else {"record_fields": fields}
    wrong = b"# coding: utf-8\n# Gr\xf6\xdfe\n"
    sandbox.commit("old", {"old.c": "// Größe\n".encode("latin-1"), "wrong.py": wrong})
    run(central, sandbox)
    found = encodings(central)
    if fields:
        assert found["old.c"] == ("cp1252", None)
        assert found["wrong.py"] == ("", SkipReason.ENCODING_INVALID)
    else:  # which refuses members and reasons that it does not know
        assert found["old.c"] == ("", None)
        assert found["wrong.py"] == ("", SkipReason.NOT_UTF8)
        bodies = b"".join(gunzipped(central))
        assert b"encoding" not in bodies


def gunzipped(central: StandIn) -> list[bytes]:
    return [
        gzip.decompress(body, limit_bytes=central.batch_bytes) for body in central.batches.values()
    ]


def test_a_mark_at_the_beginning_makes_a_file_generated_until_it_is_removed(
    central: StandIn, sandbox: Sandbox
) -> None:
    run(central, sandbox)
    sandbox.commit("generated", {"made.py": "# @generated\nX = 1\n"})
    report = run(central, sandbox)
    assert (report.mode, report.generated) == (Mode.INCREMENTAL, 1)
    assert (report.stats.chunks, report.stats.symbols) == (0, 1)
    assert generated(central) == {"made.py": GeneratedBy.CONTENT}
    sandbox.commit("written", {"made.py": "X = 1\n"})
    report = run(central, sandbox)
    assert (report.mode, report.generated, report.stats.chunks) == (Mode.INCREMENTAL, 0, 1)
    assert generated(central) == {"made.py": None}


def test_rules_are_those_of_the_commit_and_not_of_the_work_tree(
    central: StandIn, sandbox: Sandbox
) -> None:
    (sandbox.path / ".codesearch.toml").write_text('[index]\nexclude = ["*.py"]\n')
    run(central, sandbox)
    assert skipped(central)["a.py"] is None


def test_bad_rules_in_the_commit_give_the_run_up(central: StandIn, sandbox: Sandbox) -> None:
    sandbox.commit("rules", {".codesearch.toml": "[index]\nexcluded = []\n"})
    (sandbox.path / ".codesearch.toml").unlink()
    with pytest.raises(ConfigurationError, match=r"index\.excluded"):
        run(central, sandbox)
    assert central.abandoned == ["cancelled"]


def test_a_stale_run_plans_again_and_gives_up_after_three_times(
    central: StandIn, sandbox: Sandbox
) -> None:
    central.outcomes = ["queued", "stale", "applying", "applied"]
    assert run(central, sandbox).run_id == "run-2"
    central.base_commit = None
    central.outcomes = ["stale"] * 4
    with pytest.raises(RunStaleError):
        run(central, sandbox)
    assert central.runs == 6


def test_a_run_that_fails_says_why(central: StandIn, sandbox: Sandbox) -> None:
    central.outcomes = ["failed"]
    with pytest.raises(RunFailedError, match="it broke"):
        run(central, sandbox)
    assert central.abandoned == []


def test_another_run_is_waited_for(central: StandIn, sandbox: Sandbox) -> None:
    busy = {"code": "run_in_progress", "detail": "Run run-0 is queued.", "run_id": "run-0"}
    central.failures = [(409, busy, {})]
    central.outcomes = ["applying", "applied"]
    assert run(central, sandbox).run_id == "run-1"
    assert sum("runs/run-0?wait=" in request.path for request in central.requests) == 2


def test_an_untracked_branch_is_refused(central: StandIn, sandbox: Sandbox) -> None:
    sandbox.git("branch", "side")
    central.failures = [(403, {"code": "ref_not_tracked", "detail": "main is."}, {})]
    with pytest.raises(CentralRefusedError) as caught:
        run(central, sandbox, ref="side")
    assert caught.value.code == "ref_not_tracked"


@pytest.fixture
def pushed(sandbox: Sandbox, tmp_path: Path) -> dict[str, str]:
    """The environment of a job that a push has started."""
    sandbox.git("remote", "add", "origin", "https://github.com/acme/shop")
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"repository": {"default_branch": "main"}}))
    return {
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "acme/shop",
        "GITHUB_EVENT_NAME": "push",
        "GITHUB_EVENT_PATH": str(event),
    }


@pytest.mark.parametrize("code", ["ref_not_tracked", "oidc_ref_refused"])
def test_a_job_of_a_branch_that_is_not_indexed_has_nothing_to_do(
    central: StandIn, sandbox: Sandbox, code: str, pushed: dict[str, str]
) -> None:
    sandbox.git("branch", "side")
    central.failures = [(403, {"code": code, "detail": "main is."}, {})]
    report = run(central, sandbox, ref="side", **pushed)
    assert (report.mode, report.reason) == (Mode.NONE, Reason.BRANCH_NOT_WANTED)
    assert report.branch_refusal == "main is."
    assert central.abandoned == []


def test_a_job_of_the_default_branch_is_refused_aloud(
    central: StandIn, sandbox: Sandbox, pushed: dict[str, str]
) -> None:
    central.failures = [(403, {"code": "ref_not_tracked", "detail": "trunk is."}, {})]
    with pytest.raises(CentralRefusedError):
        run(central, sandbox, **pushed)


def test_batches_keep_the_limits_and_a_file_beyond_them_is_skipped(
    central: StandIn, sandbox: Sandbox
) -> None:
    sandbox.commit("many", {f"many/{n}.py": f"def f{n}():\n    return {n}\n" for n in range(25)})
    sandbox.commit("big", {"big.py": "".join(f"def g{n}(): return {n}\n" for n in range(2000))})
    central.batch_files, central.batch_bytes = 10, 40_000
    run(central, sandbox)
    assert sorted(central.batches) == list(range(1, len(central.batches) + 1))
    assert len(central.batches) >= 4
    assert skipped(central)["big.py"] is SkipReason.TOO_LARGE
    assert len(central.records()) == len(FILES) + 26


def test_what_central_says_of_applying_is_shown(central: StandIn, sandbox: Sandbox) -> None:
    progress = Recorded()
    central.progress = {"stage": "applied", "percent": 100}
    run(central, sandbox, progress=progress)
    assert progress.stages[-1] == ("apply", 0)
    assert progress.reached == [100]


def test_a_run_that_no_worker_has_taken_is_shown_as_queued(
    central: StandIn, sandbox: Sandbox
) -> None:
    progress = Recorded()
    central.outcomes = ["queued", "queued", "applied"]
    run(central, sandbox, progress=progress)
    assert progress.waits == 2
