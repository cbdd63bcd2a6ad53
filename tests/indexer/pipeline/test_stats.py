"""Counting."""

from indexer.embedding.base import Usage
from indexer.pipeline.stats import RunCounters, Stopwatch
from indexer.records.files import FileRecord, SkipReason
from indexer.records.runs import RunStats


def count(
    counters: RunCounters, path: str, language: str = "", skipped: SkipReason | None = None
) -> None:
    record = FileRecord(path, "100644", "b" * 40, 1, language, skipped)
    indexed = 0 if skipped else 1
    counters.add(
        record,
        chunks=2 * indexed,
        symbols=3 * indexed,
        references=4 * indexed,
        embedded=indexed,
    )


def test_files_are_counted_by_language_or_by_skip_reason() -> None:
    counters = RunCounters()
    for path, language in (("a.py", "python"), ("b.py", "python"), ("c.go", "go")):
        count(counters, path, language)
    count(counters, "d.bin", skipped=SkipReason.BINARY)
    assert counters.languages == {"python": 2, "go": 1}
    assert counters.skipped == {SkipReason.BINARY: 1}
    usage = Usage(requests=2, tokens=100, cost_usd=0.5)
    assert counters.stats(removed=5, usage=usage, seconds={"open": 0.1}) == RunStats(
        files_changed=3,
        files_removed=5,
        files_skipped=1,
        chunks=6,
        symbols=9,
        references=12,
        embedded=3,
        reused=3,
        embedding_requests=2,
        embedding_tokens=100,
        embedding_cost_usd=0.5,
        seconds={"open": 0.1},
    )


def test_a_stage_that_is_entered_twice_is_one() -> None:
    watch = Stopwatch()
    for stage in ("open", "plan", "open"):
        with watch.stage(stage):
            pass
    assert list(watch.rounded()) == ["open", "plan"]
