"""Two runs side by side: what `build/callers.json` held before, and what a run finds now."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.callers.misses import Fate, recall

Content = Mapping[str, Any]  # as report.content


def read(path: Path) -> dict[str, Content]:
    """What a run wrote, by family."""
    content: dict[str, Content] = json.loads(path.read_text(encoding="utf-8"))
    return content


def changes(before: Mapping[str, Content], after: Mapping[str, Content]) -> Iterator[str]:
    """Lines of Markdown for each family that both have."""
    for family in after:
        if family in before:
            yield from ("", f"## {family}: before → after, at medium", "")
            yield from _scores(before[family], after[family])
            for kind in after[family]["misses"]:
                yield from ("", f"### {family}: {kind}", "")
                pair = (one["misses"][kind] for one in (before[family], after[family]))
                yield from _misses(*pair)


def _scores(before: Content, after: Content) -> Iterator[str]:
    yield "| of | precision | recall | false | missed |"
    yield "|---|---|---|---|---|"
    earlier, later = ({_key(row): row for row in one["scores"]} for one in (before, after))
    for key, row in later.items():
        if row["asked"] == "medium" and key in earlier:
            old = earlier[key]
            rates = (
                _change(f"{old[one]:.3f}", f"{row[one]:.3f}") for one in ("precision", "recall")
            )
            sums = (_change(str(old[one]), str(row[one])) for one in ("false", "missed"))
            yield f"| {row['of']}: {row['kind']} | {' | '.join([*rates, *sums])} |"


def _key(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["of"], row["kind"], row["asked"]


def _misses(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    fates = [fate.value for fate in Fate if fate is not Fate.FOUND]
    yield f"| reached through | callers | recall | {' | '.join(fates)} |"
    yield f"|{'---|' * (3 + len(fates))}"
    for way in sorted({*before, *after}, key=lambda one: -_missed(before.get(one, {}))):
        old, new = before.get(way, {}), after.get(way, {})
        cells = [_change(str(sum(old.values())), str(sum(new.values())))]
        cells += [_change(f"{recall(old):.3f}", f"{recall(new):.3f}")]
        cells += [_change(str(old.get(fate, 0)), str(new.get(fate, 0))) for fate in fates]
        yield f"| {way} | {' | '.join(cells)} |"


def _missed(counts: Mapping[str, int]) -> int:
    return sum(counts.values()) - counts.get(Fate.FOUND.value, 0)


def _change(old: str, new: str) -> str:
    return new if old == new else f"{old} → {new}"
