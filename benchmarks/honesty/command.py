"""`python -m benchmarks honesty`: the share of call sites that no answer accounts for.

Of the public repositories of the retrieval sample, by language. It reads records, as the service
stores them: a call site without a reference is in no list and in no count of a receipt.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks import pinned, tables
from benchmarks.arguments import positive
from benchmarks.honesty.accounting import Tally, tally
from benchmarks.retrieval.sample import sample
from scripts.local_service import temporary_workspace

OUTPUT = Path("build/honesty.json")


def main(arguments: Sequence[str]) -> None:
    """Measure, print examples of each language and the table, write build/honesty.json."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks honesty", description=__doc__)
    parser.add_argument("--repositories", type=Path, help="clones, for a machine without network")
    parser.add_argument("--workspace", type=Path, help="kept, and used again; default: a new one")
    parser.add_argument("--only", action="append", help="a repository's name; may be repeated")
    parser.add_argument("--examples", type=positive, default=5, help="shown of each language")
    options = parser.parse_args(arguments)
    tallies: dict[str, Tally] = {}
    with temporary_workspace("aeterna-bench-honesty-") as temporary:
        workspace = (options.workspace or temporary).resolve()
        for one in sample():
            if not options.only or one.name in options.only:
                print(f"{one.name}: reading", flush=True)
                tally(_laid_out(one, workspace, options.repositories), tallies)
    for name, found in sorted(tallies.items()):
        step = max(1, len(found.examples) // options.examples)
        for example in found.examples[::step]:
            print(f"{name}: {example}")
    tables.show(_figures(tallies), OUTPUT)


def _laid_out(one: pinned.PinnedRepository, workspace: Path, clones: Path | None) -> Path:
    target, cache = workspace / "repositories", workspace / "cache"
    return pinned.lay_out(one, target, clones=clones, cache=cache)


def _figures(tallies: dict[str, Tally]) -> list[tables.Figure]:
    found = [(name, one) for name, one in sorted(tallies.items()) if one.sites]
    return [
        *(
            tables.Figure(f"{name}, of {one.sites:,} call sites", one.unaccounted, "%", bound=0)
            for name, one in found
        ),
        *(
            tables.Figure(f"{name}, parsed of {one.lines:,} lines", one.parsed, "%")
            for name, one in found
        ),
        *(
            tables.Figure(f"{name}, incomplete of {one.names:,} names", one.incomplete, "%")
            for name, one in found
        ),
    ]
