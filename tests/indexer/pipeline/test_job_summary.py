"""The job summary, as GitHub gets it."""

import html
from dataclasses import replace

import pytest

from indexer.errors import (
    CentralError,
    CentralRefusedError,
    GitError,
    RunFailedError,
    RunStaleError,
    ShallowCloneError,
)
from indexer.exits import Exit
from indexer.pipeline import job_summary
from indexer.pipeline.report import Report, RunProgress, RunStage
from indexer.records.files import SkipReason
from indexer.records.runs import Mode, Reason, RunStats, UploadMode

REPORT = Report(
    project="shop",
    commit_sha="c" * 40,
    base_commit="b" * 40,
    run_id="7f3c",
    mode=Mode.FULL,
    reason=Reason.DIVERGED,
    stats=RunStats(1203, 1, 3, chunks=9000, symbols=7, references=40, embedded=9000),
    seconds={"open": 0.25, "process": 3.0, "apply": 0.5},
    languages={"go": 3, "python": 1200},
    skipped={SkipReason.BINARY: 1, SkipReason.TOO_LARGE: 2},
    status_url="https://codesearch.example.com/api/v1/index/runs/7f3c",
    repository_url="https://github.com/acme/shop",
)

# Nothing here is wrapped: a line of the summary is a line below.
FULL = """\
### Code index: <code>shop</code>

**Full run** of [<code>cccccccccccc</code>](https://github.com/acme/shop/commit/{new}): {why} (<code>diverged</code>). The branch was moved from [<code>bbbbbbbbbbbb</code>](https://github.com/acme/shop/commit/{old}) to [<code>cccccccccccc</code>](https://github.com/acme/shop/commit/{new}).

1,203 files indexed, 1 removed, 3 skipped; 9,000 chunks (9,000 embedded, 0 reused), 7 symbols, 40 references.

| Language | Files |
| --- | ---: |
| python | 1,200 |
| go | 3 |

| Skipped | Files | Why |
| --- | ---: | --- |
| <code>too&#95;large</code> | 2 | The file is larger than the size limit of .codesearch.toml. |
| <code>binary</code> | 1 | The file holds a NUL byte, so it is taken for binary. |

| Stage | Seconds |
| --- | ---: |
| open | 0.25 |
| process | 3.00 |
| apply | 0.50 |
| **all** | **3.75** |

Run [<code>7f3c</code>](https://codesearch.example.com/api/v1/index/runs/7f3c).

"""  # noqa: E501


def test_a_force_push_is_told_with_its_commits_files_and_times() -> None:
    assert job_summary.report_summary(REPORT) == FULL.format(
        old="b" * 40,
        new="c" * 40,
        why="history was rewritten; files that did not change were kept",
    )


def test_outside_of_a_forge_commits_have_no_address() -> None:
    assert "/commit/" not in job_summary.report_summary(replace(REPORT, repository_url=None))


def test_an_ordinary_run_says_nothing_of_moved_branches() -> None:
    merge = replace(REPORT, mode=Mode.INCREMENTAL, reason=Reason.FAST_FORWARD)
    assert "**Incremental run** of" in job_summary.report_summary(merge)
    assert "was moved" not in job_summary.report_summary(merge)


def test_tables_without_rows_are_left_out() -> None:
    assert "| Skipped |" not in job_summary.report_summary(replace(REPORT, skipped={}))


def test_vectors_that_were_relayed_after_a_refusal_are_told() -> None:
    refused = replace(REPORT, vectors=UploadMode.DIRECT_REFUSED, direct_refusal="It is <b>off</b>.")
    summary = job_summary.report_summary(refused)
    assert "<b>" not in summary
    assert (
        "\nVectors were sent to the service: QDRANT_URL asked for direct uploads, which the "
        "service refused (It is <b>off</b>).\n"
    ) in html.unescape(summary)


def test_nothing_to_do_is_one_line() -> None:
    nothing = replace(
        REPORT, mode=Mode.NONE, reason=Reason.UP_TO_DATE, repository_url=None, status_url=None
    )
    assert job_summary.report_summary(nothing) == (
        "**Code index of <code>shop</code>:** nothing to do at <code>cccccccccccc</code>, "
        "the commit is indexed already (<code>up&#95;to&#95;date</code>). "
        "Run <code>7f3c</code>.\n\n"
    )


def test_a_failure_says_what_failed_what_to_change_and_what_the_exit_code_means() -> None:
    error = CentralRefusedError("central refused <it>: check AETERNA_TOKEN", status=401)
    assert job_summary.failure_summary(
        error, Exit.REFUSED, RunProgress("7f3c", RunStage.CANCELLED)
    ) == (
        "### Code index failed: The service does not accept the credential\n\n"
        "central refused &#60;it&#62;&#58; check AETERNA&#95;TOKEN\n\n"
        "The run was cancelled. The index is unchanged.\n\n"
        "Exit code 5: the service refused. Run <code>7f3c</code>.\n\n"
    )


@pytest.mark.parametrize("error", [RunFailedError("it failed"), RunStaleError("another was first")])
def test_where_central_tells_how_a_run_ended_nothing_else_is_said_of_it(
    error: CentralError,
) -> None:
    summary = job_summary.failure_summary(
        error, Exit.NOT_INDEXED, RunProgress("7f3c", RunStage.ANNOUNCED)
    )
    assert str(error) in summary
    assert "continues" not in summary


def test_a_shallow_clone_is_told_with_the_line_to_write() -> None:
    error = ShallowCloneError("no history")
    summary = job_summary.failure_summary(error, Exit.NOT_INDEXED, RunProgress())
    assert "```yaml\n- uses: actions/checkout@…\n  with:\n    fetch-depth: 0\n```" in summary
    assert "Run" not in summary


@pytest.mark.parametrize("stage", list(RunStage))
def test_a_cancelled_run_says_what_becomes_of_the_index(stage: RunStage) -> None:
    summary = job_summary.cancelled_summary(Exit.INTERRUPTED, RunProgress("7f3c", stage))
    on = {RunStage.ANNOUNCED: "continues the run", RunStage.ANNOUNCING: "check its status"}
    assert on.get(stage, "index is unchanged") in summary
    assert "Exit code 130: interrupted." in summary


def test_no_text_of_a_run_can_make_it_too_large_or_add_a_line() -> None:
    hostile = "x\n\n# <script>|`" * 100_000
    summaries = [
        job_summary.report_summary(replace(REPORT, project=hostile, run_id=hostile)),
        job_summary.failure_summary(GitError(hostile), Exit.NOT_INDEXED, RunProgress()),
    ]
    assert max(map(len, summaries)) < 100_000
    assert not any("<script>" in summary or "\n#" in summary for summary in summaries)


def test_the_run_is_linked_to_its_page_where_the_server_has_pages() -> None:
    page = "https://codesearch.example.com/o/acme/runs/7f3c"
    summary = job_summary.report_summary(replace(REPORT, page_url=page))
    assert f"Run [<code>7f3c</code>]({page})." in summary
