"""`manage.py repository NAME … --organization SLUG [--pause | --resume | --purge …] …`."""

from argparse import ArgumentParser
from typing import Any, Final

from django.db import transaction

from central.commands import ServiceCommand
from central.repositories import actions
from central.repositories.models import Repository, Visibility
from central.tenancy.audit import COMMAND
from central.tenancy.services.organizations import organization_named

_ACTIONS: Final = {
    "pause": actions.pause,
    "resume": actions.resume,
    "purge": actions.purge,
}
_NAMED: Final = 20  # later names of a purged path
_FACTS: Final = ("tracked_ref", "visibility", "web_url")


class Command(ServiceCommand):
    help = (
        "Pause, resume or purge repositories, or correct what the forge did not say. A paused one "
        "stays searchable and accepts no runs. Purging deletes all that is indexed, for good; of a "
        "path, the changed lines of its commits."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", nargs="+", metavar="NAME")
        self.add_organization(parser)
        action = parser.add_mutually_exclusive_group()
        for name in _ACTIONS:
            action.add_argument(f"--{name}", dest="action", action="store_const", const=name)
        action.add_argument(
            "--purge-path",
            metavar="PATH",
            help="delete the lines of a file or directory from the stored commits, for good",
        )
        parser.add_argument("--tracked-ref", metavar="REF", help="such as refs/heads/main")
        parser.add_argument("--visibility", choices=Visibility.values)
        parser.add_argument("--web-url", metavar="URL", help="of the repository at its forge")

    def run(self, options: dict[str, Any]) -> None:
        """Print how many are changed. An unknown name, or a wrong value, changes nothing."""
        organization = organization_named(options["organization"])
        facts = {name: options[name] for name in _FACTS if options[name] is not None}
        action = _ACTIONS.get(options["action"])
        with transaction.atomic():
            found = actions.repositories_named(organization, options["names"])
            changed = {
                repository.name
                for repository in found
                if actions.correct(repository, actor=COMMAND, **facts)
            }
            if action is not None:
                changed |= {
                    repository.name for repository in found if action(repository, actor=COMMAND)
                }
            if (path := options["purge_path"]) is not None:
                for repository in found:
                    self._purge_path(repository, path)
                    changed.add(repository.name)
        self.stdout.write(f"Changed {len(changed):,} of {len(found):,} repositories.")

    def _purge_path(self, repository: Repository, path: str) -> None:
        from central.corpus.withheld import purge_path

        purged = purge_path(repository, path, actor=COMMAND)
        names = ", ".join(purged.paths)
        self.stdout.write(f"{repository.name}: lines of {purged.commits:,} commits, of {names}.")
        if purged.later:
            later = ", ".join(purged.later[:_NAMED])
            more = ", …" if len(purged.later) > _NAMED else ""
            self.stdout.write(f"Lines are kept of what they were renamed to: {later}{more}.")
