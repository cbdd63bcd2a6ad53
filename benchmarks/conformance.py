"""`python -m benchmarks conformance`: how often our readers agree with the tools, by table."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks import tables
from tests.indexer.conformance.tables import TABLES, rows

OUTPUT = Path("build/conformance.json")


def main(arguments: Sequence[str]) -> None:
    """Compare, print the share of agreement of each table, write build/conformance.json."""
    argparse.ArgumentParser(
        prog="python -m benchmarks conformance", description=__doc__
    ).parse_args(arguments)
    tables.show([_figure(table) for table in TABLES], OUTPUT)


def _figure(table: Path) -> tables.Figure:
    asked = list(rows(table))
    agreed = sum(row.ours() == row.says for row in asked)
    first = asked[0]
    name = f"{first.tool} {first.version}, {first.question}: {agreed:,} of {len(asked):,}"
    return tables.Figure(name, 100 * agreed / len(asked), "%")
