"""`python -m benchmarks exact`: index the sample, give zoekt the same files, ask both."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks import pinned, tables
from benchmarks.exact import report, speed, structural, zoekt
from benchmarks.exact.comparing import Comparison, Files, compare
from benchmarks.exact.corpus import IndexedFile, indexed_files
from benchmarks.exact.drawing import Drawing
from benchmarks.exact.queries import Query
from benchmarks.exact.sample import sample
from benchmarks.exact.service import ExactClient
from benchmarks.exact.zoekt import Zoekt
from benchmarks.resource_usage import opened_database
from central.search.line_search import EXACT_STREAM_MATCHES_OF_FILE
from scripts.local_service import Organization, Service, running_service, temporary_workspace

QUERIES, LINES, PATTERNS = 200, 60, 30
SOURCE = "zoekt"  # of the sample
OUTPUT = Path("build/exact.json")


def main(arguments: Sequence[str]) -> None:
    """Compare and measure, print the differences and the table, write build/exact.json."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks exact", description=__doc__)
    parser.add_argument("--repositories", type=Path, help="clones, for a machine without network")
    parser.add_argument("--workspace", type=Path, help="kept, and used again; default: a new one")
    parser.add_argument("--zoekt", type=Path, help="a directory with zoekt's programs")
    options = parser.parse_args(arguments)
    with temporary_workspace("aeterna-bench-exact-") as temporary:
        workspace = (options.workspace or temporary).resolve()
        directories = lay_out(workspace, options.repositories)
        programs = options.zoekt or zoekt.build(directories[SOURCE], workspace / "bin")
        with running_service(workspace / "data") as service:
            outcome = measure(service, directories, programs.resolve(), workspace)
    for row in report.differences(outcome.comparisons):
        print(row)
    tables.show(list(report.figures(outcome)), OUTPUT)


def lay_out(workspace: Path, clones: Path | None) -> dict[str, Path]:
    """Return the directories of the sample by name."""
    target, cache = workspace / "repositories", workspace / "cache"
    return {one.name: pinned.lay_out(one, target, clones=clones, cache=cache) for one in sample()}


def measure(
    service: Service, directories: dict[str, Path], programs: Path, workspace: Path
) -> report.Outcome:
    """Index everything, then ask both."""
    organization = service.organization("acme")
    for name, directory in directories.items():
        print(f"{name}: indexing", flush=True)
        organization.index(directory, name)
    with opened_database(service) as database:
        files = indexed_files(database)
    index = zoekt.index(programs, files, workspace / "zoekt")
    with zoekt.running(programs, index) as rival:
        return ask(organization, rival, files)


def ask(organization: Organization, rival: Zoekt, files: Sequence[IndexedFile]) -> report.Outcome:
    """Ask everything that is drawn."""
    client, drawing = ExactClient(organization), Drawing(files)
    queries = drawing.queries(QUERIES)
    comparisons = compare_all(client, rival, queries, files)
    return report.Outcome(
        files,
        comparisons,
        LINES,
        sum(is_on_top(client, line) for _, line in drawing.lines(LINES)),
        speed.measure(client, rival.address, queries, structural.patterns(files, PATTERNS)),
    )


def compare_all(
    client: ExactClient, rival: Zoekt, queries: Sequence[Query], files: Sequence[IndexedFile]
) -> list[Comparison]:
    """Compare the lines of both for each query."""
    by_place = Files({(one.project, one.path): one for one in files}, rival.languages())
    return [
        compare(
            query,
            client.every_line(query.for_service(), most=EXACT_STREAM_MATCHES_OF_FILE),
            rival,
            by_place,
        )
        for query in queries
    ]


def is_on_top(client: ExactClient, line: str) -> bool:
    """Whether the first result of a line as a literal holds it."""
    results = client.page(line, mode="literal")["results"]
    return bool(results) and any(line in one["text"] for one in results[0]["lines"])
