"""The lines of `watch`."""

import json
from pathlib import Path

import pytest

from aeterna_code_search.cli.watch.journal import Update, UpdateLog
from aeterna_code_search.cli.watch.lock import WatchRecord
from indexer.errors import CentralUnreachableError
from indexer.pipeline.report import Report
from indexer.records.runs import Mode, Reason, RunStats

STATE = WatchRecord(
    Path("/src/shop"), "shop", "c" * 40, "2026-01-01T00:00:00.000Z", 1, Path("/data")
)
REPORT = Report(
    project="shop",
    commit_sha="c" * 40,
    base_commit=None,
    run_id="run",
    mode=Mode.INCREMENTAL,
    reason=Reason.FAST_FORWARD,
    stats=RunStats(files_changed=3, files_removed=1),
    seconds={"process": 0.25, "apply": 0.5},
)
UPDATE = Update(STATE, REPORT, frozenset({"a.py", "b.py", "c\x1b[2J.py", "d.py"}), 0.8125)


def test_a_person_reads_what_changed_and_how_long_it_took(
    capsys: pytest.CaptureFixture[str],
) -> None:
    journal = UpdateLog(as_json=False)
    journal.watching(Update(STATE, REPORT))
    journal.updated(UPDATE)
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("watching /src/shop as shop, up to date after 0.8 s")
    assert second[8:] == " a.py, b.py, c�[2J.py and 1 more: searchable 0.81 s after the last write"


def test_a_program_reads_an_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    UpdateLog(as_json=True).updated(UPDATE)
    line = json.loads(capsys.readouterr().out)
    assert line["event"] == "updated"
    assert line["paths"] == sorted(UPDATE.paths)
    assert line["files"] == {"changed": 3, "removed": 1, "skipped": 0}
    assert line["seconds_after_last_write"] == 0.8125


@pytest.mark.parametrize("as_json", [False, True])
def test_a_failure_says_what_happens_next(
    capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    error = CentralUnreachableError("the service is away\x1b]0;title\x07")
    UpdateLog(as_json=as_json).failed(error, Path("/src/shop"), 4.0)
    written = capsys.readouterr()
    assert "\x1b" not in written.out + written.err
    if as_json:
        assert json.loads(written.out)["retry_seconds"] == 4
    else:
        assert "the service is away" in written.err
        assert "in 4 s" in written.err
