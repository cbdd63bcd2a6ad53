"""The report in its forms."""

import json
from dataclasses import replace

import pytest

from indexer.pipeline.report import Report, as_json, format_text, summary_line
from indexer.records.files import SkipReason
from indexer.records.runs import Mode, Reason, RunStats, UploadMode

REPORT = Report(
    project="shop",
    commit_sha="c" * 40,
    base_commit="b" * 40,
    run_id="run-1",
    mode=Mode.INCREMENTAL,
    reason=Reason.FAST_FORWARD,
    stats=RunStats(3, 1, 2, chunks=9, symbols=7, references=40, embedded=9),
    seconds={"open": 0.25, "apply": 0.5},
    languages={"python": 2, "go": 1},
    skipped={SkipReason.BINARY: 2},
    status_url="https://codesearch.example.com/api/v1/index/runs/run-1",
)


def test_the_json_has_the_fields_of_the_contract() -> None:
    fields = json.loads(json.dumps(as_json(REPORT)))
    assert fields.pop("project") == "shop"
    assert fields == {
        "mode": "incremental",
        "reason": "fast_forward",
        "base_commit": "b" * 40,
        "commit_sha": "c" * 40,
        "last_indexed_commit": "c" * 40,
        "files": {"changed": 3, "removed": 1, "skipped": 2},
        "languages": {"python": 2, "go": 1},
        "skipped": {"binary": 2},
        "generated": 0,
        "partly_parsed": 0,
        "chunks": 9,
        "symbols": 7,
        "references": 40,
        "embedded": 9,
        "reused": 0,
        "embedding": {"requests": 0, "tokens": 0, "cost_usd": None},
        "vectors": "relay",
        "scip": None,
        "seconds": {"open": 0.25, "apply": 0.5},
        "run_id": "run-1",
        "status_url": "https://codesearch.example.com/api/v1/index/runs/run-1",
        "page_url": None,
    }


@pytest.mark.parametrize("reason", [Reason.UP_TO_DATE, Reason.SUPERSEDED])
def test_a_run_with_nothing_to_do_leaves_the_index_at_its_base(reason: Reason) -> None:
    nothing = replace(REPORT, mode=Mode.NONE, reason=reason)
    assert nothing.last_indexed_commit == "b" * 40


def test_the_text_says_that_vectors_were_relayed_although_direct_uploads_were_asked_for() -> None:
    refused = replace(REPORT, vectors=UploadMode.DIRECT_REFUSED, direct_refusal="It is\noff.")
    assert "\n  vectors: sent to the service: QDRANT_URL" in format_text(refused)
    assert "which the service refused (It is off)\n" in format_text(refused)
    assert as_json(refused)["vectors"] == "direct_refused"
    for vectors in (UploadMode.RELAY, UploadMode.DIRECT):
        assert "vectors" not in format_text(replace(REPORT, vectors=vectors))


def test_the_text_says_mode_reason_and_figures() -> None:
    text = format_text(REPORT)
    assert "incremental run (fast_forward" in text
    assert "3 indexed, 1 removed, 2 skipped (2 binary)" in text
    assert "symbols: 7; references: 40" in text
    assert "0.75 s" in text


def test_the_text_counts_generated_files_among_the_indexed_ones() -> None:
    text = format_text(replace(REPORT, generated=2))
    assert "3 indexed (2 generated: symbols and references only), 1 removed" in text


@pytest.mark.parametrize(
    ("cost", "says"), [(None, "1,000 tokens\n"), (0.1234, "1,000 tokens, $0.1234\n")]
)
def test_the_text_says_what_a_service_was_asked_for_and_took(cost: float | None, says: str) -> None:
    assert "embedding:" not in format_text(REPORT)
    stats = replace(
        REPORT.stats, embedding_requests=2, embedding_tokens=1000, embedding_cost_usd=cost
    )
    assert f"  embedding: 2 requests, {says}" in format_text(replace(REPORT, stats=stats))


def test_nothing_to_do_is_one_line() -> None:
    nothing = replace(REPORT, mode=Mode.NONE, reason=Reason.UP_TO_DATE)
    assert format_text(nothing).count("\n") == 0
    assert "nothing to do (up_to_date" in format_text(nothing)


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_a_sentence(reason: Reason) -> None:
    assert str(reason) in summary_line(replace(REPORT, reason=reason))
