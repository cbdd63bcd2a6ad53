"""`manage.py backfill ORGANISATION [--owner LOGIN | --url ADDRESS … | --history]`."""

import shutil
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from central.commands import ServiceCommand, split_list
from central.github.services.policies import set_policy
from central.onboarding.credentials import owner_api, owners_repositories, require_github
from central.onboarding.models import Backfill
from central.onboarding.progress import BackfillProgress, progress_of, without_authority
from central.onboarding.services.history import queue_histories
from central.onboarding.services.listing import list_next
from central.onboarding.services.requests import request_addresses, request_owner
from central.onboarding.services.work import work_next
from central.tenancy.audit import COMMAND
from central.tenancy.models import Organization
from central.tenancy.services.organizations import organization_named
from indexer.errors import ForgeError
from indexer.forge.selection import Selection
from indexer.output.terminal import pluralize

_POLL_SECONDS = 0.5
_NO_GIT = (
    "There is no git here to clone with. Add --detach: the process `backfill` then does the work. "
    "Its container has git, so the command works there too."
)


class Command(ServiceCommand):
    help = (
        "Clone and index an owner's repositories at GitHub, or those at given addresses. The "
        "credential comes from GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY, or AETERNA_GITHUB_TOKEN. "
        "The command may be ended at any time: the same command, or the service, continues."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organization", metavar="ORGANISATION", help="its slug here")
        parser.add_argument("--owner", metavar="LOGIN", help="at GitHub; default: the slug")
        parser.add_argument(
            "--url", action="append", default=[], metavar="ADDRESS",
            help="a repository to clone, such as https://gitlab.example.com/group/name; repeatable",
        )  # fmt: skip
        for name, what in (
            ("include", "names to index, such as 'shop-*'"),
            ("exclude", "names to leave out"),
            ("topics", "topics of which a repository needs one"),
        ):
            parser.add_argument(f"--{name}", type=split_list, default=[], metavar="A,B", help=what)
        parser.add_argument("--archived", action="store_true", help="archived ones too")
        parser.add_argument("--forks", action="store_true", help="forks too")
        parser.add_argument("--max-megabytes", type=int, metavar="N", help="leave out larger ones")
        parser.add_argument(
            "--history",
            action="store_true",
            help="of the repositories that are indexed: queue runs that bring the past, once each",
        )
        parser.add_argument("--dry-run", action="store_true", help="only print the choice")
        parser.add_argument(
            "--detach", action="store_true", help="leave the work to the service and end at once"
        )

    def run(self, options: dict[str, Any]) -> None:
        """Queue the repositories, then work on the queue until all are done."""
        organization = organization_named(options["organization"])
        if options["history"]:
            self._queue_histories(organization)
            return
        selection = Selection.of(options)
        try:
            self._run(organization, selection, options)
        except ForgeError as exc:
            raise CommandError(str(exc)) from exc

    def _queue_histories(self, organization: Organization) -> None:
        counts = queue_histories(organization, actor=COMMAND)
        self.stdout.write(
            f"{organization}: {counts.queued:,} queued, {counts.waiting:,} in the queue, "
            f"{counts.brought:,} brought."
        )
        if counts.others:
            self.stdout.write(
                f"{pluralize(counts.others, 'repository is', 'repositories are')} not cloned by "
                "this service: type `codesearch index --history` in a checkout."
            )

    def _run(
        self, organization: Organization, selection: Selection, options: dict[str, Any]
    ) -> None:
        owner = options["owner"] or organization.slug
        if options["dry_run"]:
            self._list(owner, selection)
            return
        if not options["detach"] and shutil.which("git") is None:
            raise CommandError(_NO_GIT)
        if options["url"]:
            backfill = request_addresses(
                organization=organization,
                urls=options["url"],
                actor=COMMAND,
                may_use_credentials=True,
            )
        else:
            organization = self._with_owner(organization, owner)
            backfill = request_owner(
                organization=organization, owner=owner, selection=selection, actor=COMMAND
            )
        self.stdout.write(f"backfill {backfill.pk}")
        for name, advice in without_authority(organization):
            self.stdout.write(f"{name}: {advice}")
        if not options["detach"]:
            self._work(backfill)

    def _with_owner(self, organization: Organization, owner: str) -> Organization:
        """Set the organisation's owner at GitHub if it has none: the operator has just named it."""
        require_github()
        if organization.github_owner_id is None:
            with owner_api(owner) as (_, found):
                set_policy(organization_slug=organization.slug, actor=COMMAND, owner_id=found.id)
            organization.refresh_from_db()
            self.stdout.write(f"{organization.slug} belongs to GitHub's {owner} now.")
        return organization

    def _list(self, owner: str, selection: Selection) -> None:
        require_github()
        selection.check()
        with owner_api(owner) as (api, found):
            for repository in owners_repositories(api, found):
                why = selection.reason_against(repository)
                self.stdout.write(f"{repository.full_name}: {why or 'would be indexed'}")

    def _work(self, backfill: Backfill) -> None:
        """Work beside the service's own workers, and report each repository once."""
        reported: set[str] = set()
        while True:
            has_worked = list_next() or work_next()
            backfill.refresh_from_db()
            progress = self._report(backfill, reported)
            if progress.finished:
                break
            if not has_worked:
                time.sleep(_POLL_SECONDS)
        counts = progress.counts
        self.stdout.write(
            f"{counts.done} indexed, {counts.failed} failed, {counts.skipped} skipped"
        )
        if progress.error or counts.failed:
            raise CommandError(
                progress.error or "Some repositories failed; the same command tries them again."
            )

    def _report(self, backfill: Backfill, reported: set[str]) -> BackfillProgress:
        first = progress = progress_of(backfill)
        while True:
            for row in progress.repositories:
                if row.project not in reported and row.state in {"done", "failed", "skipped"}:
                    reported.add(row.project)
                    why = f": {row.error}" if row.error else ""
                    took = "" if row.seconds is None else f" in {row.seconds:.1f} s"
                    self.stdout.write(f"{row.project} {row.state}{took}{why}")
            if progress.next_after is None:
                return first
            progress = progress_of(backfill, after=progress.next_after)
