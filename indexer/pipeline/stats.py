"""Counts of a run: files, their content, and the seconds of its stages."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from indexer.embedding.base import Usage
from indexer.records.files import FileRecord, SkipReason
from indexer.records.runs import RunStats


class RunCounters:
    """Counters of one run. `languages`, `skipped`, `generated` and `partly_parsed` count files."""

    def __init__(self) -> None:
        self.languages: Counter[str] = Counter()
        self.skipped: Counter[SkipReason] = Counter()
        self.generated = 0
        self.partly_parsed = 0
        self._sums: Counter[str] = Counter()

    def add(
        self, record: FileRecord, *, chunks: int, symbols: int, references: int, embedded: int
    ) -> None:
        """Count a file that was sent; `embedded`: chunks whose vectors this run computed."""
        if record.skipped:
            self.skipped[record.skipped] += 1
        else:
            self.languages[record.language] += 1
            self.generated += record.generated is not None
            self.partly_parsed += record.unparsed is not None
        self._sums.update(chunks=chunks, symbols=symbols, references=references, embedded=embedded)

    @property
    def embedded(self) -> int:
        """Chunks whose vectors this run computed."""
        return self._sums["embedded"]

    def stats(self, *, removed: int, usage: Usage, seconds: dict[str, float]) -> RunStats:
        """Return all counts; `usage` is the embedder's."""
        return RunStats(
            files_changed=self.languages.total(),
            files_removed=removed,
            files_skipped=self.skipped.total(),
            chunks=self._sums["chunks"],
            symbols=self._sums["symbols"],
            references=self._sums["references"],
            embedded=self.embedded,
            reused=self._sums["chunks"] - self.embedded,
            embedding_requests=usage.requests,
            embedding_tokens=usage.tokens,
            embedding_cost_usd=usage.cost_usd,
            seconds=seconds,
        )


class Stopwatch:
    """A timer of the stages of a run, in seconds."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time spent within to the stage."""
        began = monotonic()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + monotonic() - began

    def drop(self, name: str) -> None:
        """Forget a stage in which there was nothing to do."""
        self._seconds.pop(name, None)

    def rounded(self) -> dict[str, float]:
        """Return the seconds in milliseconds' precision, in the order of the stages."""
        return {name: round(seconds, 3) for name, seconds in self._seconds.items()}
