"""`python -m benchmarks retrieval`: bring the sample, index it in memory, rank in every way."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks import tables
from benchmarks.retrieval import baseline, report
from benchmarks.retrieval.ablation import changes
from benchmarks.retrieval.experiment import WAYS, Version, together, versions
from benchmarks.retrieval.faithfulness import differing
from benchmarks.retrieval.measures import judge
from benchmarks.retrieval.report import PEER, Table
from benchmarks.retrieval.sample import Half, sample

WORKSPACE = Path("build/retrieval")


def main(arguments: list[str]) -> None:
    """Compare and ablate, print the tables, write build/retrieval.md and .json."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks retrieval", description=__doc__)
    parser.add_argument("--repositories", type=Path, help="clones, for a machine without network")
    parser.add_argument("--half", choices=list(Half), type=Half, help="default: both")
    parser.add_argument("--workspace", type=Path, default=WORKSPACE, help="default: %(default)s")
    parser.add_argument("--without-peer", action="store_true", help="do not install and ask semble")
    parser.add_argument(
        "--faithfulness", metavar="NAME", help="only compare with the service on one repository"
    )
    options = parser.parse_args(arguments)
    workspace = options.workspace.resolve()
    chosen = [one for one in sample() if options.half in (None, one.half)]
    if options.faithfulness:
        chosen = [one for one in chosen if one.name == options.faithfulness]
        for version in versions(chosen, workspace, options.repositories):
            print("\n".join(differing(version)))
        return
    single = versions(chosen, workspace, options.repositories)
    whole = together(single)
    by_scope = {"single": Table(), "whole": Table()}
    for table, asked in zip(by_scope.values(), (single, whole), strict=True):
        compare(asked, table)
        if not options.without_peer:
            compare_peer(asked, table, workspace)
    text = report.markdown(by_scope["single"], by_scope["whole"], list(changes(single)))
    report.write(text, by_scope)
    print(text)
    if not options.without_peer and options.half is not Half.DEVELOPMENT:
        tables.print_table(list(report.figures(by_scope["single"])))


def compare(asked: Sequence[Version], table: Table) -> None:
    """Score every query in every way of our own."""
    for version in asked:
        for query, prepared in zip(version.queries, version.prepared, strict=True):
            for name, way in WAYS.items():
                scores = judge(query, way(version.index, prepared))
                table.add(name, version.half, query.kind, scores)


def compare_peer(asked: Sequence[Version], table: Table, workspace: Path) -> None:
    """Score every query as semble answers it."""
    python = baseline.install(workspace / "semble")
    groups = [version.directories for version in asked]
    texts = [[query.text for query in version.queries] for version in asked]
    answers = baseline.ask(python, groups, texts, workspace / "semble-home")
    for version, hits_of in zip(asked, answers, strict=True):
        for query, hits in zip(version.queries, hits_of, strict=True):
            table.add(PEER, version.half, query.kind, judge(query, hits))
