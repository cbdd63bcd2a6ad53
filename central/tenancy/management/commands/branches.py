"""`manage.py branches --organization SLUG [--most N] [--none | PATTERN...]`."""

from argparse import ArgumentParser
from typing import Any

from central.commands import ServiceCommand
from central.tenancy.audit import COMMAND
from central.tenancy.services.organizations import organization_named, set_branches


class Command(ServiceCommand):
    help = (
        "Say which branches of an organisation's repositories are indexed beside the default one, "
        "where .codesearch.toml of the default branch names none, and how many of a repository may "
        "be. Without patterns, what is so now is printed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_organization(parser)
        parser.add_argument("--most", type=int, help="with the default branch; at most 16")
        chosen = parser.add_mutually_exclusive_group()
        chosen.add_argument("--none", action="store_true", help="name no branches")
        chosen.add_argument("patterns", nargs="*", default=[], help="such as release/*")

    def run(self, options: dict[str, Any]) -> None:
        organization = organization_named(options["organization"])
        patterns, most = options["patterns"], options["most"]
        if patterns or options["none"] or most is not None:
            is_named = patterns or options["none"]
            set_branches(
                organization,
                patterns=patterns if is_named else organization.branches,
                most=organization.branches_most if most is None else most,
                actor=COMMAND,
            )
            organization.refresh_from_db()
        named = ", ".join(organization.branches) or "none"
        self.stdout.write(
            f"Branches of {organization} beside the default one: {named}; at most "
            f"{organization.branches_most} of a repository, with the default one."
        )
