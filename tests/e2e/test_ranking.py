"""The labelled queries of ranking.toml, asked of the real service: quality that must not fall.

Prints MRR@10 and Recall@10 for each mode and class of query (`pytest -s`).
"""

import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from scripts.local_git import commit_all, new_repository
from scripts.local_service import ROOT, Organization
from tests.e2e.indexing import index_here

QUERIES: list[dict[str, Any]] = tomllib.loads(
    (ROOT / "tests" / "e2e" / "ranking.toml").read_text(encoding="utf-8")
)["query"]
SOURCES = (ROOT / "tests" / "e2e" / "ranking_sources.txt").read_text(encoding="utf-8").split()
CLASSES = ("natural", "symbol", "architecture")
MODES = ("semantic", "lexical", "hybrid")
# Measured with these labels; a change that falls below them made the search worse.
LEAST_HYBRID_MRR = 0.72
LEAST_HYBRID_RECALL = 0.90

Ranks = dict[str, list[int | None]]


@pytest.fixture(scope="module")
def indexed(examples: Organization, tmp_path_factory: pytest.TempPathFactory) -> Organization:
    """Every example repository and code of this project, indexed."""
    index_here(examples, own_sources(tmp_path_factory.mktemp("own") / "aeterna"), "aeterna")
    return examples


def own_sources(directory: Path) -> Path:
    """The files of this project that ranking_sources.txt names, as they are in the work tree.

    Not all there are: each part that is added would be one more that the examples' answers have to
    be told from, and the floors would measure how much was written. A file that goes, or most of
    which comes from files that were never listed, goes from the list; one that is to be found is
    added to it with its query.
    """
    new_repository(directory)
    for name in SOURCES:
        target = directory / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    commit_all(directory, "This project")
    return directory


@pytest.fixture(scope="module")
def ranks(indexed: Organization) -> Ranks:
    """For each mode the rank (from 1) of the first expected file of each query; None past 10."""
    return {mode: [rank_of(indexed, query, mode) for query in QUERIES] for mode in MODES}


def rank_of(acme: Organization, query: dict[str, Any], mode: str) -> int | None:
    wanted = set(query.get("files", [query.get("file")]))
    results = acme.search(query["text"], mode=mode, limit=10)["results"]
    for rank, hit in enumerate(results, start=1):
        if hit["project"] == query["project"] and hit["file"] in wanted:
            return rank
    return None


def mean_reciprocal_rank(ranks: list[int | None]) -> float:
    return sum(1 / rank for rank in ranks if rank) / len(ranks)


def recall(ranks: list[int | None]) -> float:
    return sum(rank is not None for rank in ranks) / len(ranks)


def of_class(ranks: list[int | None], name: str) -> list[int | None]:
    return [rank for rank, query in zip(ranks, QUERIES, strict=True) if query["class"] == name]


def test_there_are_enough_labelled_queries_and_each_names_a_file_that_exists() -> None:
    assert len(QUERIES) >= 40
    for query in QUERIES:
        base = ROOT if query["project"] == "aeterna" else ROOT / "examples/acme" / query["project"]
        for file in query.get("files", [query.get("file")]):
            assert (base / file).is_file(), f"{query['text']!r} expects {file}"
            if base == ROOT:
                assert file in SOURCES, f"{file} is expected and not indexed"


def test_hybrid_search_finds_what_a_person_would_want(ranks: Ranks) -> None:
    table = Table("mode", "MRR@10", "Recall@10", *(f"MRR {name}" for name in CLASSES))
    for mode, found in ranks.items():
        by_class = [f"{mean_reciprocal_rank(of_class(found, name)):.3f}" for name in CLASSES]
        table.add_row(mode, f"{mean_reciprocal_rank(found):.3f}", f"{recall(found):.3f}", *by_class)
    Console(width=110).print(table)
    missed = [q["text"] for q, rank in zip(QUERIES, ranks["hybrid"], strict=True) if rank is None]
    assert mean_reciprocal_rank(ranks["hybrid"]) >= LEAST_HYBRID_MRR, missed
    assert recall(ranks["hybrid"]) >= LEAST_HYBRID_RECALL, missed


def test_hybrid_is_better_than_either_half(ranks: Ranks) -> None:
    hybrid, semantic, lexical = (
        mean_reciprocal_rank(ranks[mode]) for mode in ("hybrid", "semantic", "lexical")
    )
    assert hybrid > max(semantic, lexical)
