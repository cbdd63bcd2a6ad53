"""`python -m benchmarks [NAME…]`: all of them by default; `--help` lists them.

Seventeen run only when they are named: `branches`, `callers`, `definitions`, `exact`, `history`,
`honesty`, `questions` and `retrieval` need a sample from elsewhere, `pycg` a peer's suite,
`conformance` compares readers of manifests with the tools, `agents` counts the tokens of answers,
`training` makes a model of repositories that it is given, `plans` names the slowest SQL statement,
`graph` measures the knowledge graph and proves a calibration, `faults` kills parts of a working
service, `load` asks with many clients at once, and `stores` is part of all together at a modest
size.
"""

import argparse
import signal
import sys

from benchmarks import (
    action,
    backfilling,
    baseline,
    command_line,
    conformance,
    definitions,
    indexing,
    pages,
    searching,
    tables,
    tracing,
    units,
    watching,
    webhook,
    wide_pages,
)
from benchmarks.agents import command as agents
from benchmarks.branches import command as branches
from benchmarks.callers import command as callers
from benchmarks.callers import pycg
from benchmarks.exact import command as exact
from benchmarks.faults import command as faults
from benchmarks.graph import command as graph
from benchmarks.history import command as history
from benchmarks.honesty import command as honesty
from benchmarks.integrations import measuring as integrations
from benchmarks.load import command as load
from benchmarks.plans import command as plans
from benchmarks.questions import command as questions
from benchmarks.retrieval import command as retrieval
from benchmarks.stores import command as stores_command
from benchmarks.stores import measure as stores
from benchmarks.training import command as training
from scripts.local_service import temporary_workspace

BENCHMARKS = {
    "indexing": indexing.measure,
    "searching": searching.measure,
    "webhook": webhook.measure,
    "peer": baseline.measure,
    "tracing": tracing.measure,
    "action": action.measure,
    "watching": watching.measure,
    "command_line": command_line.measure,
    "stores": stores.measure,
    "units": units.measure,
    "breadth": wide_pages.measure,
    "pages": pages.measure,
    "integrations": integrations.measure,
    "backfill": backfilling.measure,
}
STANDING_ALONE = {
    "agents": agents.main,
    "branches": branches.main,
    "callers": callers.main,
    "conformance": conformance.main,
    "definitions": definitions.main,
    "exact": exact.main,
    "faults": faults.main,
    "plans": plans.main,
    "pycg": pycg.main,
    "graph": graph.main,
    "honesty": honesty.main,
    "load": load.main,
    "history": history.main,
    "questions": questions.main,
    "retrieval": retrieval.main,
    "stores": stores_command.main,
    "training": training.main,
}


def main() -> None:
    """Measure what is asked for, say each figure as it comes, then show the table."""
    if sys.argv[1:2] and sys.argv[1] in STANDING_ALONE:
        STANDING_ALONE[sys.argv[1]](sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    names = parser.parse_args().names or list(BENCHMARKS)
    if unknown := set(names) - set(BENCHMARKS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    measured = []
    for name in names:
        with temporary_workspace(f"aeterna-bench-{name}-") as directory:
            for figure in BENCHMARKS[name](directory):
                print(f"{name}: {figure.name}: {figure.value:.4g} {figure.unit}", flush=True)
                measured.append(figure)
    tables.show(measured)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)
