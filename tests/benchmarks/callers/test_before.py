"""Two runs side by side."""

import json
from pathlib import Path

from benchmarks.callers.before import changes, read


def run(right: int, missed: int) -> dict[str, object]:
    """What a run writes of a family, as far as it is compared."""
    score = {"of": "cross", "kind": "methods", "asked": "medium", "false": 0, "missed": missed}
    rates = {"precision": 1.0, "recall": right / (right + missed)}
    counts = {"found": right, "silent": missed}
    return {"scores": [score | rates], "misses": {"methods": {"all": counts, "field": counts}}}


def test_what_changed_has_both_values_and_what_did_not_has_one() -> None:
    lines = list(changes({"go": run(3, 1)}, {"go": run(4, 0)}))
    assert "| cross: methods | 1.000 | 0.750 → 1.000 | 0 | 1 → 0 |" in lines
    assert "| field | 4 | 0.750 → 1.000 | 0 | 0 | 0 | 0 | 1 → 0 |" in lines


def test_a_family_that_was_not_measured_before_is_left_out() -> None:
    assert list(changes({}, {"go": run(4, 0)})) == []


def test_the_run_before_is_read_from_its_json(tmp_path: Path) -> None:
    file = tmp_path / "callers.json"
    file.write_text(json.dumps({"go": run(3, 1)}), encoding="utf-8")
    assert read(file) == {"go": run(3, 1)}
