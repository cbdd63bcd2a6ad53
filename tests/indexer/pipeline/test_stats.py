"""Counting."""

from indexer.bundle.lines import FileLine
from indexer.embedding.base import Usage
from indexer.pipeline.stats import Stopwatch, Tally
from indexer.records.files import FileRecord, SkipReason
from indexer.records.runs import RunStats


def line(path: str, language: str = "", skipped: SkipReason | None = None) -> FileLine:
    record = FileRecord(path, "100644", "b" * 40, 1, language, skipped)
    held = 0 if skipped else 1
    return FileLine(
        record, b"", chunks=2 * held, symbols=3 * held, references=4 * held, embedded=held
    )


def test_files_are_counted_by_language_or_by_the_reason_to_skip_them() -> None:
    tally = Tally()
    for file in (line("a.py", "python"), line("b.py", "python"), line("c.go", "go")):
        tally.add(file)
    tally.add(line("d.bin", skipped=SkipReason.BINARY))
    assert tally.languages == {"python": 2, "go": 1}
    assert tally.skipped == {SkipReason.BINARY: 1}
    usage = Usage(requests=2, tokens=100, cost_usd=0.5)
    assert tally.stats(removed=5, usage=usage, seconds={"open": 0.1}) == RunStats(
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
