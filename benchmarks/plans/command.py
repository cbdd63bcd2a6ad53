"""`python -m benchmarks plans`: which statement is the slowest, and by which plan."""

import argparse
import itertools
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.corpora import python_repository
from benchmarks.plans.explaining import Explained, explain, is_explainable
from benchmarks.plans.population import LARGE, forget_statistics, make_skewed
from benchmarks.plans.questions import ask_everything
from benchmarks.plans.recording import Sent, read_statements
from benchmarks.resource_usage import opened_database
from scripts.local_service import Service, running_service, temporary_workspace

MEGABYTES = 12
RECORDED = ("-m", "benchmarks.plans.recorded_service")


def main(arguments: list[str]) -> None:
    """Fill a service, ask it everything, explain what it sent."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks plans", description=__doc__)
    parser.add_argument(
        "--megabytes", type=float, default=MEGABYTES, help="of the large repository"
    )
    parser.add_argument("--rows", type=int, default=25, help="of the table")
    parser.add_argument(
        "--without-statistics", action="store_true", help="as right after a first index"
    )
    options = parser.parse_args(arguments)
    with temporary_workspace("aeterna-bench-plans-") as workspace:
        repository = python_repository(workspace / "corpus", megabytes=options.megabytes)
        fill(workspace / "data", repository)
        sent = record(workspace / "data", workspace / "statements", repository)
        found = explained(workspace / "data", sent, has_statistics=not options.without_statistics)
    show(found, options.rows)


def fill(data_dir: Path, repository: Path) -> None:
    """Index the large repository, and copy some of it to many tiny ones."""
    with running_service(data_dir) as service, opened_database(service) as database:
        service.create_organization("other")
        service.organization("acme").index(repository, LARGE)
        make_skewed(database)


def record(data_dir: Path, statements: Path, repository: Path) -> list[list[Sent]]:
    """Ask a service on the data everything; what it sent."""
    service = Service(data_dir, {"STATEMENTS_FILE": str(statements)}, RECORDED)
    try:
        service.start()
        ask_everything(service, service.organization("acme"), repository)
    finally:
        service.stop()
    return read_statements(statements)


def explained(
    data_dir: Path, sent: Sequence[Sequence[Sent]], *, has_statistics: bool
) -> list[Explained]:
    """Each statement with the parameters that are worst for it, the slowest first."""
    with running_service(data_dir) as service, opened_database(service) as database:
        if has_statistics:
            database.execute("VACUUM ANALYZE")
        else:
            forget_statistics(database)
        found = [
            max((explain(database, one) for one in several), key=lambda one: one.worst)
            for several in sent
            if is_explainable(several[0])
        ]
    return sorted(found, key=lambda one: -one.worst)


def show(found: Sequence[Explained], rows: int) -> None:
    """Print the slowest."""
    table = Table("from", "statement", "custom", "planning", "generic", "ratio", "read whole")
    slowest: dict[tuple[str, str], Explained] = {}  # of texts that differ in a list's length
    for one in found:
        slowest.setdefault((one.sent.origin, one.sent.sql[:80]), one)
    for one in itertools.islice(slowest.values(), rows):
        custom, generic = one.custom, one.generic
        ratio = generic.milliseconds / custom.milliseconds if generic and not custom.failure else 0
        table.add_row(
            one.sent.origin,
            " ".join(one.sent.sql.split())[:60],
            custom.failure or f"{custom.milliseconds:.1f} ms",
            f"{custom.planning:.1f} ms",
            "-" if generic is None else generic.failure or f"{generic.milliseconds:.1f} ms",
            f"{ratio:.1f}" if ratio else "-",
            ", ".join({*custom.read_whole, *(generic.read_whole if generic else ())}),
        )
    Console(width=200).print(table)
    print(f"{len(found)} statements, {sum(one.generic is not None for one in found)} prepared")
