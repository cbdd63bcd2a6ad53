"""`python -m benchmarks.faults.inspection ORGANIZATION [PROJECT…]`: the index's state as JSON.

With projects also their dumps and the reconcile's reports, for which the store must be shared.
"""

import json
import os
import sys
from dataclasses import asdict
from typing import Any


def main(organization: str, *projects: str) -> None:
    """Print one line of JSON."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")
    django.setup()
    from central.ingest.models import IndexRun
    from central.ingest.services.run_lifecycle import expire_runs
    from central.maintenance.reconcile import dump_of, reconcile
    from central.repositories.states import LIVE_RUN_STATES

    expire_runs()
    live = IndexRun.objects.filter(state__in=LIVE_RUN_STATES)
    state: dict[str, Any] = {
        "live": [f"{run.repository.name}: {run}" for run in live.select_related("repository")],
        "dumps": {
            project: "\n".join(dump_of(organization=organization, repository=project))
            for project in projects
        },
        "found": [],
        "repaired": [],
    }
    if projects:
        for name, repair in (("found", True), ("repaired", False)):
            state[name] = [asdict(row) for row in reconcile(repair=repair).repositories]
    print(json.dumps(state))


if __name__ == "__main__":
    main(*sys.argv[1:])
