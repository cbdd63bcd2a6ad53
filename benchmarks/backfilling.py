"""A whole organisation by backfill: from the request to the last indexed repository.

Real clones over HTTP from the stand-in of GitHub, a real service, one process for each repository.
"""

import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpora import copy_sources
from benchmarks.tables import Figure
from scripts.local_service import Organization, running_service
from tests.local_forge import OWNER_ID, LocalForge

REPOSITORIES = 200
FILES = 12  # of each: parts of Django
PROMISED_SECONDS = 3_600


def measure(workspace: Path) -> Iterator[Figure]:
    """Figures of a backfill of 200 repositories, and of one more push."""
    sources = workspace / "sources"
    sources.mkdir(parents=True)
    copy_sources("django", sources)
    files = sorted(path for path in sources.rglob("*.py") if path.stat().st_size > 1_000)
    with LocalForge(workspace / "forge") as forge:
        for number in range(REPOSITORIES):
            chosen = files[number * FILES % len(files) :][:FILES]
            forge.add(
                f"service{number}",
                {str(path.relative_to(sources)): path.read_bytes() for path in chosen},
            )
        environment = forge.settings(app=True) | {"AETERNA_SWEEP_SECONDS": "1"}
        with running_service(workspace / "data", environment) as service:
            service.manage("create_organization", "acme", "--github-owner-id", str(OWNER_ID))
            token = service.manage(
                "create_token", "--organization", "acme", "--scopes", "index,search,admin"
            )
            yield from _figures(Organization(service, "acme", token.stdout.strip()))


def _figures(acme: Organization) -> Iterator[Figure]:
    began = time.monotonic()
    backfill_id = acme.post("onboarding", owner="acme")["id"]
    first = 0.0
    while not (found := acme.get(f"onboarding/{backfill_id}"))["finished"]:
        if found["counts"]["done"] and not first:
            first = time.monotonic() - began
        time.sleep(0.5)
    seconds = time.monotonic() - began
    if found["counts"]["done"] != REPOSITORIES:
        raise RuntimeError(f"not all were indexed: {found['counts']}")
    each = statistics.median(row["seconds"] for row in found["repositories"])
    yield Figure("backfill: first repository searchable", first, "s")
    yield Figure(f"backfill of {REPOSITORIES} repositories", seconds, "s", PROMISED_SECONDS)
    yield Figure("backfill: one repository, clone and index, median", each, "s")
    yield Figure("backfill: repositories a minute", 60 * REPOSITORIES / seconds, "")
