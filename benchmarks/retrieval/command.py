"""`python -m benchmarks retrieval`: bring the sample, index it in memory, rank in every way."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks import tables
from benchmarks.retrieval import baseline, calibration, matches, report, results
from benchmarks.retrieval.ablation import ablations
from benchmarks.retrieval.experiment import (
    OURS,
    WAYS,
    Version,
    naming_projects,
    our_scores,
    together,
    versions,
)
from benchmarks.retrieval.faithfulness import differing
from benchmarks.retrieval.measures import judge
from benchmarks.retrieval.report import PEER, SCOPES, WHOLE
from benchmarks.retrieval.results import Table
from benchmarks.retrieval.sample import Half, sample

WORKSPACE = Path("build/retrieval")
MARKDOWN, JSON = Path("build/retrieval.md"), Path("build/retrieval.json")


def main(arguments: list[str]) -> None:
    """Run the chosen part, by default the comparison; print its tables, write all scores."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks retrieval", description=__doc__)
    parser.add_argument("--repositories", type=Path, help="clones, for a machine without network")
    parser.add_argument("--half", choices=list(Half), type=Half, help="default: both")
    parser.add_argument("--workspace", type=Path, default=WORKSPACE, help="default: %(default)s")
    parser.add_argument("--only", metavar="NAME", action="append", help="only these repositories")
    parser.add_argument("--scope", choices=SCOPES, action="append", help="default: both")
    parser.add_argument(
        "--naming", action="store_true", help="queries end with the name of their project"
    )
    parser.add_argument("--without-peer", action="store_true", help="do not install and ask semble")
    parser.add_argument("--ours", action="store_true", help="of our ways of ranking, the service's")
    parser.add_argument("--json", type=Path, default=JSON, help="every score (%(default)s)")
    parser.add_argument(
        "--before", type=Path, metavar="JSON", help="compare with that run of the same repositories"
    )
    parser.add_argument(
        "--ablation", action="store_true", help="only: each rule off, weights moved"
    )
    parser.add_argument("--confidence", action="store_true", help="only: confidence and match")
    parser.add_argument("--faithfulness", action="store_true", help="only: as the service answers?")
    options = parser.parse_args(arguments)
    workspace = options.workspace.resolve()
    chosen = [
        one
        for one in sample()
        if options.half in (None, one.half) and (not options.only or one.name in options.only)
    ]
    single = versions(chosen, workspace, options.repositories)
    if options.naming:
        single = naming_projects(single)
    if options.faithfulness:
        print("\n".join(line for version in single for line in differing(version)))
    elif options.confidence:
        print("\n".join((*calibration.report(single), *matches.report(single))))
    elif options.ablation:
        print(
            "\n".join(
                report.ablation(
                    {scope: ablations(own) for scope, own in _by_scope(single, options).items()}
                )
            )
        )
    else:
        _compare_all(single, workspace, options)


def _by_scope(
    single: Sequence[Version], options: argparse.Namespace
) -> dict[str, Sequence[Version]]:
    wanted = options.scope or SCOPES
    return {
        scope: together(single) if scope == WHOLE else single for scope in SCOPES if scope in wanted
    }


def _compare_all(single: Sequence[Version], workspace: Path, options: argparse.Namespace) -> None:
    by_scope = {}
    for scope, asked in _by_scope(single, options).items():
        table = by_scope[scope] = Table()
        compare(asked, table, [OURS] if options.ours else [*WAYS, OURS])
        if not options.without_peer:
            compare_peer(asked, table, workspace)
    lines = list(report.comparison(by_scope))
    if options.before:
        lines += report.changes(results.read(options.before), by_scope)
    text = "\n".join(lines).strip()
    MARKDOWN.parent.mkdir(exist_ok=True)
    MARKDOWN.write_text(text + "\n", encoding="utf-8")
    results.write(by_scope, options.json)
    print(text)
    if not options.without_peer and options.half is not Half.DEVELOPMENT:
        tables.print_table(list(report.figures(by_scope)))


def compare(asked: Sequence[Version], table: Table, ways: Sequence[str]) -> None:
    """Score every query in our own ways."""
    for version in asked:
        for query, prepared in zip(version.queries, version.prepared, strict=True):
            for name in ways:
                if name == OURS:
                    scores = our_scores(version.index, query, prepared)
                else:
                    scores = judge(query, WAYS[name](version.index, prepared))
                table.add(name, version.half, query, scores)


def compare_peer(asked: Sequence[Version], table: Table, workspace: Path) -> None:
    """Score every query as semble answers it."""
    groups = [version.directories for version in asked]
    texts = [[query.text for query in version.queries] for version in asked]
    answers = baseline.ask(workspace, groups, texts)
    for version, hits_of in zip(asked, answers, strict=True):
        for query, hits in zip(version.queries, hits_of, strict=True):
            table.add(PEER, version.half, query, judge(query, hits))
