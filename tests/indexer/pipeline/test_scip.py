"""Runs with SCIP indexes: what is sent, what is kept, and what the report says."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.errors import ConfigurationError, ScipInvalidError
from indexer.pipeline.job import scip_request
from indexer.pipeline.report import Report, ScipReport, as_json, format_text
from indexer.records.files import SCIP
from indexer.records.runs import Mode, Reason
from indexer.records.scip import ScipPlace, ScipRemoval
from tests.indexer.central import StandIn, stand_in
from tests.indexer.pipeline.test_run import run as run_job
from tests.indexer.repositories import Sandbox
from tests.indexer.scip.indexes import write_index

MAKE = "scip-typescript npm shop . src/`make.ts`/make()."
MARKED = {
    "src/make.ts": "export function «=make|src/`make.ts`/make().»() {}\n",
    "src/use.ts": (
        'import { «make|src/`make.ts`/make().» } from "./make";\n«make|src/`make.ts`/make().»();\n'
    ),
}


@pytest.fixture
def central() -> Iterator[StandIn]:
    with stand_in() as central:
        central.orders = {"record_fields": [SCIP]}
        yield central


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox(tmp_path / "shop")
    sandbox.write({".gitignore": "*.scip*\n"})
    sources = write_index(sandbox.path / "index.scip", MARKED, sandbox.path)
    sandbox.commit("first", dict(sources))
    return sandbox


def run(
    central: StandIn, sandbox: Sandbox, *scip: str, commit: str = "", mode: str = "auto"
) -> Report:
    asked = scip_request(scip, commit, {}, sandbox.path)
    return run_job(central, sandbox, mode, scip=asked)


def sent(central: StandIn) -> list[str]:
    return [record.path for record in central.scip_records()]


def test_a_first_run_sends_what_the_index_says_of_each_file(
    central: StandIn, sandbox: Sandbox
) -> None:
    report = run(central, sandbox, "index.scip")
    assert report.scip == ScipReport(documents=2, sent=2)
    made, used = (central.scip[path] for path in MARKED)
    assert (made.tool, made.blob) == (
        "scip-typescript 0.4.0",
        sandbox.git("rev-parse", "HEAD:src/make.ts"),
    )
    assert (made.symbols, made.definitions, made.references) == ((MAKE,), ((1, 16, 0),), ())
    assert (used.symbols, used.definitions) == ((MAKE,), ())
    assert used.references == (ScipPlace(1, 9, 0), ScipPlace(2, 0, 0))
    assert sorted(central.paths()) == [".gitignore", *MARKED]


def test_an_equal_index_sends_nothing_and_another_version_of_the_package_is_equal(
    central: StandIn, sandbox: Sandbox
) -> None:
    run(central, sandbox, "index.scip")
    data = (sandbox.path / "index.scip").read_bytes()
    (sandbox.path / "index.scip").write_bytes(data.replace(b"shop 1.0.0", b"shop 1.0.1"))
    report = run(central, sandbox, "index.scip")
    assert (report.mode, report.reason) == (Mode.NONE, Reason.UP_TO_DATE)
    assert report.scip == ScipReport(documents=2, unchanged=2)
    assert central.batches == {}


def test_an_index_for_a_commit_that_is_indexed_already_is_brought(
    central: StandIn, sandbox: Sandbox
) -> None:
    run(central, sandbox)
    assert central.scip == {}
    report = run(central, sandbox, "index.scip")
    assert (report.mode, report.reason) == (Mode.INCREMENTAL, Reason.SCIP_CHANGED)
    assert set(central.scip) == set(MARKED)
    assert central.paths() == []  # no file is processed


def test_only_changed_documents_are_sent(central: StandIn, sandbox: Sandbox) -> None:
    run(central, sandbox, "index.scip")
    marked = MARKED | {"src/use.ts": "\n" + MARKED["src/use.ts"]}
    sandbox.commit("second", dict(write_index(sandbox.path / "index.scip", marked, sandbox.path)))
    report = run(central, sandbox, "index.scip")
    assert report.scip == ScipReport(documents=2, unchanged=1, sent=1)
    assert sent(central) == central.paths() == ["src/use.ts"]


def test_a_document_of_another_text_is_refused_and_named_and_what_was_stored_goes(
    central: StandIn, sandbox: Sandbox
) -> None:
    run(central, sandbox, "index.scip")
    changed = 'import { make } from "./make";\nmade();\n'
    sandbox.commit("second", {"src/use.ts": changed})
    report = run(central, sandbox, "index.scip")
    assert report.scip is not None
    assert (report.scip.refused, report.scip.unchanged, report.scip.removed) == (1, 1, 1)
    assert report.scip.first_refused == ("src/use.ts: `make` does not stand in line 2",)
    assert central.scip_records() == [ScipRemoval("src/use.ts")]
    assert "refused: src/use.ts" in format_text(report)


def test_a_run_without_an_index_keeps_what_is_stored(central: StandIn, sandbox: Sandbox) -> None:
    run(central, sandbox, "index.scip")
    sandbox.commit("second", {"other.ts": "export const a = 1;\n"})
    for mode in ("auto", "force"):
        assert run(central, sandbox, mode=mode).scip is None
        assert set(central.scip) == set(MARKED)
    assert not any("/scip" in request.path for request in central.requests[-10:])


def test_the_repository_s_own_file_names_indexes_until_it_does_not(
    central: StandIn, sandbox: Sandbox
) -> None:
    sandbox.commit("names", {".codesearch.toml": '[scip]\npaths = ["**/index.scip"]\n'})
    assert run(central, sandbox).scip == ScipReport(documents=2, sent=2)
    (sandbox.path / "index.scip").unlink()
    sandbox.commit("again", {"other.ts": "export const a = 1;\n"})
    report = run(central, sandbox)
    assert report.scip is not None
    assert report.scip.code == "scip_missing"
    assert set(central.scip) == set(MARKED)
    sandbox.commit("no longer", {".codesearch.toml": None})
    assert run(central, sandbox).scip == ScipReport(removed=2)
    assert central.scip == {}


def test_an_index_of_another_commit_is_not_read(central: StandIn, sandbox: Sandbox) -> None:
    report = run(central, sandbox, "index.scip", commit="0" * 40)
    assert as_json(report)["scip"]["code"] == "scip_other_commit"
    assert central.scip == {}
    head = sandbox.git("rev-parse", "HEAD")
    assert run(central, sandbox, "index.scip", commit=head[:8]).scip == ScipReport(2, sent=2)


def test_an_older_service_is_sent_no_documents(central: StandIn, sandbox: Sandbox) -> None:
    central.orders = {}
    report = run(central, sandbox, "index.scip")
    assert report.scip is not None
    assert report.scip.code == "scip_not_supported"
    assert sorted(central.paths()) == [".gitignore", *MARKED]


def test_a_broken_index_ends_the_run_and_changes_nothing(
    central: StandIn, sandbox: Sandbox
) -> None:
    run(central, sandbox, "index.scip")
    stored = dict(central.scip)
    data = (sandbox.path / "index.scip").read_bytes()
    (sandbox.path / "index.scip").write_bytes(data[:-1])
    sandbox.commit("second", {"other.ts": "export const a = 1;\n"})
    with pytest.raises(ScipInvalidError, match=r"index\.scip .*scip_invalid.*cut off"):
        run(central, sandbox, "index.scip")
    assert central.batches == {}
    assert (central.abandoned, central.scip) == (["cancelled"], stored)


def test_a_named_index_must_be_there(central: StandIn, sandbox: Sandbox) -> None:
    with pytest.raises(ConfigurationError, match="is no file in"):
        run(central, sandbox, "none.scip")
    assert central.opened == []


def test_an_index_of_a_package_has_its_directory_or_is_given_one(
    central: StandIn, sandbox: Sandbox
) -> None:
    package = sandbox.path / "packages/a"
    package.mkdir(parents=True)
    marked = {"make.ts": MARKED["src/make.ts"]}
    elsewhere = Path("/home/runner/work/shop/shop/packages/a")
    sources = write_index(package / "index.scip", marked, elsewhere)
    sandbox.commit("package", {f"packages/a/{name}": text for name, text in sources.items()})
    assert run(central, sandbox, "packages/*/index.scip").scip == ScipReport(1, sent=1)
    assert set(central.scip) == {"packages/a/make.ts"}
    write_index(sandbox.path / "other.scip.gz", marked, Path("/elsewhere"))
    packed = gzip.compress((sandbox.path / "other.scip.gz").read_bytes())
    (sandbox.path / "other.scip.gz").write_bytes(packed)
    report = run(central, sandbox, "other.scip.gz:packages/a", "index.scip")
    assert report.scip == ScipReport(documents=3, unchanged=1, sent=2)
    report = run(central, sandbox, "other.scip.gz")
    assert report.scip is not None
    assert (report.scip.code, report.scip.removed) == ("scip_no_file", 0)
    report = run(central, sandbox, "none")
    assert report.scip == ScipReport(removed=3)


def test_the_first_of_two_documents_of_a_path_counts(central: StandIn, sandbox: Sandbox) -> None:
    (sandbox.path / "twice.scip").write_bytes((sandbox.path / "index.scip").read_bytes())
    report = run(central, sandbox, "*.scip")
    assert report.scip == ScipReport(documents=4, sent=2, duplicate=2)


@pytest.mark.parametrize(
    "path", ["../shop/src/make.ts", "/etc/passwd", "src/../src/make.ts", "src\\make.ts", ""]
)
def test_a_path_that_leaves_the_repository_is_of_no_file_of_it(
    central: StandIn, sandbox: Sandbox, path: str
) -> None:
    write_index(sandbox.path / "index.scip", {path: MARKED["src/make.ts"]}, sandbox.path)
    report = run(central, sandbox, "index.scip")
    assert report.scip is not None
    assert (report.scip.outside, report.scip.sent) == (1, 0)
    assert central.scip == {}


def test_a_link_is_not_followed(central: StandIn, sandbox: Sandbox) -> None:
    (sandbox.path / "src/link.ts").symlink_to("make.ts")
    sandbox.commit("link")
    marked = {"src/link.ts": MARKED["src/make.ts"]}
    write_index(sandbox.path / "index.scip", marked, sandbox.path)
    report = run(central, sandbox, "index.scip").scip
    assert report is not None
    assert (report.outside, report.sent, report.code) == (1, 0, "scip_no_file")
