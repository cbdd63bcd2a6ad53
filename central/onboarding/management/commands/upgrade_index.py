"""`manage.py upgrade_index [--organization SLUG …] [--limit N] [--dry-run] [--wait]`."""

import time
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any, Final

from central.commands import ServiceCommand
from central.onboarding.services.upgrade import (
    OlderRepository,
    UpgradeState,
    counts_of,
    older_repositories,
    queue_older,
)
from central.tenancy.audit import COMMAND
from central.tenancy.models import Organization
from central.tenancy.services.organizations import organization_named
from indexer.output.terminal import escape_line, pluralize

UPGRADES_QUEUED: Final = 1_000  # runs that `manage.py upgrade_index` queues without --limit
_POLL_SECONDS: Final = 5.0
_WORDS: Final = {
    UpgradeState.DUE: "due",
    UpgradeState.QUEUED: "in the queue",
    UpgradeState.PAUSED: "paused",
    UpgradeState.WORKFLOW: "for their own workflow",
    UpgradeState.NOT_FOLLOWED: "that nothing indexes",
    UpgradeState.SKIPPED: "skipped",
}


class Command(ServiceCommand):
    help = (
        "Queue a run for each repository that an older extractor has read, that had no merge since "
        "and that this service clones: the run reads again what the upgrade concerns, and no other "
        "file. For each other one, say what to do. Nothing is queued twice, so the command can be "
        "repeated until nothing is left. A run uses the credentials that its backfill may use."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--organization", nargs="+", metavar="SLUG", help="some organisations; without: all"
        )
        parser.add_argument(
            "--limit", type=int, default=UPGRADES_QUEUED, metavar="N", help="to queue at most"
        )
        parser.add_argument("--dry-run", action="store_true", help="only count and list them")
        parser.add_argument(
            "--wait", action="store_true", help="report what is left until the queue is done"
        )

    def run(self, options: dict[str, Any]) -> None:
        """Print for each organisation what is queued, and what else to do."""
        organizations = (
            [organization_named(slug) for slug in dict.fromkeys(options["organization"])]
            if options["organization"]
            else list(Organization.objects.filter(retired_at=None).order_by("slug"))
        )
        room = 0 if options["dry_run"] else max(options["limit"], 0)
        for organization in organizations:
            queued = queue_older(organization, limit=room, actor=COMMAND) if room else 0
            room -= queued
            found = list(older_repositories(organization))
            for repository in found:
                if repository.advice:
                    self.stdout.write(
                        escape_line(
                            f"{organization}/{repository.repository.name}: {repository.advice}"
                        )
                    )
            self.stdout.write(f"{organization}: {_summary(found, queued)}")
        if options["wait"] and not options["dry_run"]:
            self._wait(organizations)

    def _wait(self, organizations: Sequence[Organization]) -> None:
        """Report each change until no older repository is in the queue."""
        before = -1
        while True:
            left = sum(_waiting(organization) for organization in organizations)
            if left != before:
                self.stdout.write(f"{left:,} in the queue")
            if not left:
                return
            before = left
            time.sleep(_POLL_SECONDS)


def _waiting(organization: Organization) -> int:
    return sum(
        older_repository.state is UpgradeState.QUEUED
        for older_repository in older_repositories(organization)
    )


def _summary(found: Sequence[OlderRepository], queued: int) -> str:
    if not found:
        return "every repository is up to date."
    parts = [f"{count:,} {_WORDS[state]}" for state, count in counts_of(found).items()]
    older = pluralize(len(found), "repository is older", "repositories are older")
    return f"{older}: {', '.join(parts)}. Queued now: {queued:,}."
