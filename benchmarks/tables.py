"""A measured figure beside its bound, and the table and JSON file that show them."""

import json
import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import autogroups

OUTPUT = Path("build/bench.json")


@dataclass(frozen=True)
class Figure:
    """`bound` is what the project promises (None: shown for comparison only)."""

    name: str
    value: float
    unit: str
    bound: float | None = None
    at_least: bool = False

    @property
    def holds(self) -> bool | None:
        """Whether the bound holds; None without one."""
        if self.bound is None:
            return None
        return self.value >= self.bound if self.at_least else self.value <= self.bound


def percentile(samples: Sequence[float], percent: int) -> float:
    """The `percent`-th percentile of at least two samples."""
    return statistics.quantiles(samples, n=100, method="inclusive")[percent - 1]


def print_table(figures: Sequence[Figure]) -> None:
    """Print each figure beside what is promised."""
    table = Table("figure", "measured", "promised", "")
    for figure in figures:
        sign = "≥" if figure.at_least else "≤"
        promised = "" if figure.bound is None else f"{sign} {figure.bound:g} {figure.unit}"
        mark = {None: "", True: "[green]holds[/green]", False: "[red]misses[/red]"}[figure.holds]
        table.add_row(figure.name, f"{figure.value:.3g} {figure.unit}", promised, mark)
    Console(width=120).print(table)


def show(figures: Sequence[Figure], output: Path = OUTPUT) -> None:
    """Print the table and write the JSON file."""
    print_table(figures)
    output.parent.mkdir(exist_ok=True)
    output.write_text(
        json.dumps(
            {
                "cores": os.cpu_count(),
                "machine": platform.machine(),
                "python": platform.python_version(),
                "autogroups": autogroups.are_on(),
                "figures": [asdict(figure) | {"holds": figure.holds} for figure in figures],
            },
            indent=1,
        )
        + "\n",
        encoding="utf-8",
    )
