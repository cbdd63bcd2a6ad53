"""`python -m benchmarks graph`: latency of the graph's answers, and precision of semantic links."""

import argparse
from collections.abc import Callable, Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.graph.fitting import fit
from benchmarks.graph.measuring import measure
from benchmarks.graph.pairs import Pair, measured_pairs
from benchmarks.graph.proof import Judgement, interval, judge, over_random_halves, ranking
from benchmarks.tables import print_table
from central.knowledge.calibration import Calibration
from scripts.local_service import temporary_workspace


def main(arguments: Sequence[str]) -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks graph", description=__doc__)
    parser.add_argument(
        "--calibration", action="store_true", help="only the precision of semantic links"
    )
    asked = parser.parse_args(arguments)
    if not asked.calibration:
        with temporary_workspace("aeterna-bench-graph-") as directory:
            measured = []
            for figure in measure(directory):
                print(f"graph: {figure.name}: {figure.value:.4g} {figure.unit}", flush=True)
                measured.append(figure)
        print_table(measured)
    show_calibration()


def show_calibration() -> None:
    """Fit on one half, prove on the other."""
    pairs = measured_pairs()
    fitted = [pair for pair in pairs if not pair.is_held_out]
    held_out = [pair for pair in pairs if pair.is_held_out]
    calibration = fit(fitted)
    console = Console(width=120)
    console.print(f"fitted: {calibration}", soft_wrap=True)
    table = Table("half", "documents", "pairs", "related", "linked", "precision", "recall")
    for name, half in (("fitted", fitted), ("held out", held_out)):
        found = judge(half, calibration)
        table.add_row(
            name,
            *map(str, (found.documents, found.pairs, found.related, found.linked)),
            _with_interval(half, calibration, _precision),
            _with_interval(half, calibration, _recall),
        )
    console.print(table)
    table = Table("average precision, held out", "")
    table.add_row("cosine alone", f"{ranking(held_out, lambda pair: pair.found.cosine):.3f}")
    score = ranking(held_out, lambda pair: calibration.score(pair.found))
    table.add_row("score", f"{score:.3f}")
    console.print(table)
    halves = over_random_halves(pairs)
    precisions = [one.precision for one in halves]
    console.print(
        f"{len(halves)} random halves, fitted anew: precision {np.mean(precisions):.3f} (a tenth "
        f"below {np.quantile(precisions, 0.1):.3f}), recall "
        f"{np.mean([one.recall for one in halves]):.3f}"
    )


def _precision(found: Judgement) -> float:
    return found.precision


def _recall(found: Judgement) -> float:
    return found.recall


def _with_interval(
    pairs: Sequence[Pair], calibration: Calibration, of: Callable[[Judgement], float]
) -> str:
    low, high = interval(pairs, calibration, of)
    return f"{of(judge(pairs, calibration)):.3f} [{low:.3f}, {high:.3f}]"
