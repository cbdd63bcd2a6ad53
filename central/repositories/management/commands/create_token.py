"""`manage.py create_token --organization SLUG --scopes index,search[,admin] …`."""

from argparse import ArgumentParser
from typing import Any

from central.commands import ServiceCommand, split_list
from central.repositories.models import Repository, Visibility
from central.repositories.token_repositories import check_token_repositories
from central.tenancy.audit import COMMAND
from central.tenancy.services.organizations import organization_named
from central.tenancy.services.tokens import create_token


class Command(ServiceCommand):
    help = "Create an API token and print it, alone, on standard output. It is shown this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_organization(parser)
        parser.add_argument("--scopes", required=True, help="comma-separated: index,search,admin")
        parser.add_argument(
            "--repositories",
            nargs="+",
            metavar="NAME",
            help="the repositories it may see, apart by spaces or commas; without: all",
        )
        parser.add_argument(
            "--visibilities",
            nargs="+",
            choices=Visibility.values,
            help="of the repositories it may see; without: all",
        )
        parser.add_argument("--expires-days", type=int, metavar="N")
        parser.add_argument("--name", default="", help="what it is for, shown in the admin")

    def run(self, options: dict[str, Any]) -> None:
        given, scopes = options["repositories"], split_list(options["scopes"])
        repositories = None if given is None else split_list(",".join(given))
        organization = organization_named(options["organization"])
        existing = Repository.objects.filter(organization=organization, retired_at=None)
        warning = check_token_repositories(existing, scopes=scopes, names=repositories)
        token = create_token(
            organization_slug=organization.slug,
            scopes=scopes,
            actor=COMMAND,
            repositories=repositories,
            visibilities=options["visibilities"],
            expires_days=options["expires_days"],
            name=options["name"],
        )
        self.stdout.write(token)
        if warning:
            self.stderr.write(warning)
