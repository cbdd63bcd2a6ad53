from pathlib import Path

import pytest

from benchmarks.retrieval.experiment import OURS
from benchmarks.retrieval.measures import Scores
from benchmarks.retrieval.queries import Kind, Query
from benchmarks.retrieval.report import changes, comparison
from benchmarks.retrieval.results import Table, read, since, write
from benchmarks.retrieval.sample import Half

HALF = Half.DEVELOPMENT


def scores(mrr: float, file_ndcg: float) -> Scores:
    return Scores(mrr, mrr, mrr, file_ndcg, 5.0, 1.0)


def table(*asked: tuple[str, float, float], way: str = OURS) -> Table:
    found = Table()
    for text, mrr, file_ndcg in asked:
        query = Query("acme", text, Kind.COMMIT, ())
        found.add(way, HALF, query, scores(mrr, file_ndcg))
    return found


def test_runs_are_compared_query_by_query_whatever_their_order() -> None:
    before = table(("close leases", 0.5, 0.2), ("open leases", 1.0, 0.4), ("gone", 1.0, 1.0))
    after = table(("open leases", 1.0, 0.6), ("close leases", 0.5, 0.4), ("new", 0.0, 0.0))
    change = since(before, after)[HALF, Kind.COMMIT]
    assert change.definitions == (0.0, 0.0, 0.0)
    assert change.files == (pytest.approx(0.2), pytest.approx(0.2), pytest.approx(0.2))


def test_other_ways_are_no_part_of_a_comparison_of_runs() -> None:
    assert not since(table(("open leases", 1.0, 1.0), way="BM25"), table(("open leases", 1.0, 1.0)))


def test_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    tables = {"single": table(("close leases", 0.5, 0.2)), "whole": table()}
    write(tables, tmp_path / "runs" / "run.json")
    assert read(tmp_path / "runs" / "run.json") == tables


def test_tables_show_both_levels_and_the_share_of_the_right_project_of_all() -> None:
    asked = table(("close leases", 0.5, 0.25))
    lines = list(comparison({"single": asked, "whole": asked}))
    assert "| ours | .250 / 5.0; .500 / .500 / .500 | .250 / 5.0; .500 / .500 / .500 |" in lines
    assert any(".250 / 5.0 / 100%; .500" in line for line in lines)


def test_changes_since_a_run_name_scope_and_half() -> None:
    before, after = table(("close leases", 0.5, 0.2)), table(("close leases", 1.0, 0.4))
    lines = list(changes({"single": before}, {"single": after}))
    assert lines[1] == "### Since the run before, One repository: development"
    assert lines[-1] == "| MRR | **+0.500 [+0.500, +0.500]** |"
