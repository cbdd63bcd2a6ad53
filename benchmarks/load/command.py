"""`python -m benchmarks load`: many clients at once, mixed requests, real processes, loopback.

PostgreSQL with pgvector, Redis, a worker and web processes run with the settings of production. The
clients of two organisations ask as fast as they are answered; which requests, and in which order, a
seed decides. Meanwhile /livez is asked ten times a second and memory is read once a second. Exit
code 1: a bound was missed.
"""

import argparse
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks import autogroups, tables
from benchmarks.arguments import positive, require_programs
from benchmarks.load import report
from benchmarks.load.clients import ClientGroup, run_clients
from benchmarks.load.corpus import SMALL, DataError, Size, Tenant, check_data, prepare, totals
from benchmarks.load.deployment import WEB_PROCESSES, Deployment, running_deployment
from benchmarks.load.measurements import measured, runs_since
from scripts.browsing import session_id
from scripts.local_service import temporary_workspace

OVERLOAD_CLIENTS: Final = 64
SHARE_OF_SMALL: Final = 8  # one client of so many is of the small organisation
WARM_UP_REQUESTS: Final = 12  # of each client, not counted
DEFAULT_SEED: Final = 24


@dataclass(frozen=True)
class Profile:
    """How much is indexed, and for how long so many clients ask."""

    size: Size
    steps: tuple[tuple[int, float], ...]  # clients, seconds


FULL: Final = Size(chunks=110_000, references=900_000, repositories=50, service_bytes=3_100_000)
PROFILES: Final = {
    "short": Profile(Size(), ((16, 10.0), (OVERLOAD_CLIENTS, 10.0))),
    "full": Profile(FULL, ((16, 180.0), (OVERLOAD_CLIENTS, 120.0))),
    "nightly": Profile(FULL, ((1, 60.0), (16, 600.0), (OVERLOAD_CLIENTS, 300.0))),
}


def main(arguments: list[str]) -> None:
    """Fill the service, have the clients ask, print the tables, write the JSON file.

    Exits with 1 if a bound was missed.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks load", description=__doc__)
    parser.add_argument("--profile", choices=PROFILES, default="short", help="default: short")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="default: %(default)s")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIRECTORY",
        help="keeps the index for the next run with this profile; default: a temporary one",
    )
    parser.add_argument(
        "--step",
        action="append",
        type=_step,
        metavar="CLIENTS:SECONDS",
        help="instead of the profile's steps; may be given again",
    )
    parser.add_argument(
        "--web",
        type=positive,
        metavar="N",
        default=WEB_PROCESSES,
        help="web processes; default: %(default)s",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        default=Path("build/load.json"),
        help="figures and bounds as JSON; default: %(default)s",
    )
    options = parser.parse_args(arguments)
    require_programs(parser, ["redis-server"])
    profile = PROFILES[options.profile]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # no process is left behind
    print(f"python -m benchmarks load --profile {options.profile} --seed {options.seed}")
    if autogroups.are_on():
        print(autogroups.NOTE)
    with temporary_workspace("aeterna-bench-load-") as temporary:
        data_dir = (options.data or temporary / "data").resolve()
        try:
            check_data(data_dir, profile.size)
        except DataError as exc:
            parser.error(f"argument --data: {exc}")
        print("Starting the service …", flush=True)
        with running_deployment(data_dir, web_processes=options.web) as deployment:
            tenants = prepare(deployment.service, profile.size)
            steps = options.step or profile.steps
            figures = list(campaign(deployment, tenants, steps, seed=options.seed))
    tables.show(figures, options.out)
    sys.exit(report.verdict(figures))


def campaign(
    deployment: Deployment,
    tenants: Sequence[Tenant],
    steps: Sequence[tuple[int, float]],
    *,
    seed: int,
) -> Iterator[tables.Figure]:
    """Take each step, show it, and yield its figures."""
    chunks, references = totals(deployment.service)
    yield tables.Figure("chunks", chunks, "")
    yield tables.Figure("references", references, "")
    for clients, seconds in steps:
        print(f"{clients} clients: a warm-up, then {seconds:.0f} s …", flush=True)
        groups = client_groups(deployment, tenants, clients)
        urls = deployment.urls
        run_clients(urls, groups, seed=-seed, seconds=seconds, requests=WARM_UP_REQUESTS)
        with measured(deployment) as measurements:
            began = datetime.now(UTC)
            outcomes = run_clients(urls, groups, seed=seed, seconds=seconds)
        step = report.Step(
            clients,
            clients >= OVERLOAD_CLIENTS,
            seconds,
            outcomes,
            measurements,
            runs_since(deployment.service, began),
        )
        report.show(step)
        yield from report.figures(step)


def client_groups(
    deployment: Deployment, tenants: Sequence[Tenant], clients: int
) -> list[ClientGroup]:
    """The clients of each organisation; a single one is of the large organisation."""
    small = clients // SHARE_OF_SMALL
    return [
        ClientGroup(
            tenant,
            session_id(deployment.service.url, tenant.member),
            small if tenant.slug == SMALL else clients - small,
        )
        for tenant in tenants
        if tenant.slug != SMALL or small
    ]


def _step(text: str) -> tuple[int, float]:
    clients, _, seconds = text.partition(":")
    return positive(clients), positive(seconds)
