"""`manage.py create_member USERNAME --organization SLUG [--role admin] [--superuser] …`."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.db import transaction

from central.commands import ServiceCommand
from central.tenancy.audit import COMMAND
from central.tenancy.management.password import ask_password
from central.tenancy.models import VISIBILITIES, Organization, Role
from central.tenancy.services.memberships import (
    add_member,
    create_person,
    limit_member,
    make_superuser,
)
from central.tenancy.services.organizations import organization_named


class Command(ServiceCommand):
    help = (
        "Make a person a member of an organisation, who may then sign in and search. Makes the "
        "user if there is none, and asks for a password; that of a user who is there stays."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument(
            "--organization", metavar="SLUG", help="may be left out beside --superuser alone"
        )
        parser.add_argument(
            "--role",
            type=Role,
            choices=list(Role),
            metavar="{member,admin}",
            help="a member searches (the default for a new one); an admin indexes, too",
        )
        parser.add_argument(
            "--superuser",
            action="store_true",
            help="administers the whole service: every organisation, and /admin/",
        )
        parser.add_argument("--repositories", nargs="+", metavar="NAME", help="all that they see")
        parser.add_argument(
            "--visibilities",
            nargs="+",
            choices=VISIBILITIES,
            help="of the repositories that they see",
        )
        parser.add_argument(
            "--unlimited", action="store_true", help="they see every repository again"
        )
        parser.add_argument("--email", default="")
        parser.add_argument(
            "--password-stdin",
            action="store_true",
            help="read a new user's password from the first line of standard input",
        )

    def run(self, options: dict[str, Any]) -> None:
        slug, is_superuser = options["organization"], options["superuser"]
        if slug is None and not is_superuser:
            raise CommandError("Say of which organisation: --organization SLUG.")
        organization = None if slug is None else organization_named(slug)
        known = User.objects.filter(username=options["username"]).first()
        password = "" if known else ask_password(from_stdin=options["password_stdin"])
        with transaction.atomic():
            user = known or create_person(
                username=options["username"],
                password=password,
                email=options["email"],
                is_superuser=is_superuser,
                actor=COMMAND,
            )
            if is_superuser:
                make_superuser(user, actor=COMMAND)
            self._add(user, organization, options["role"], _limits(options))
        self._tell(user, is_new=known is None)

    def _add(
        self,
        user: User,
        organization: Organization | None,
        role: Role | None,
        limits: dict[str, list[str] | None],
    ) -> None:
        if organization is not None:
            membership = add_member(user=user, organization=organization, role=role, actor=COMMAND)
            limit_member(membership, actor=COMMAND, **limits)
            self.stdout.write(f"{user.username} is {_role(membership.role)} of {organization}.")
        if user.is_superuser:
            self.stdout.write(f"{user.username} administers the whole service.")

    def _tell(self, user: User, *, is_new: bool) -> None:
        """On a user who was there already: it must be who was meant."""
        if is_new:
            return
        email = f" ({user.email})" if user.email else ""
        self.stderr.write(
            f"The user {user.username}{email} was there already, and keeps its password: "
            f"`manage.py set_password {user.username}` sets another."
        )
        if not user.is_active:
            self.stderr.write("It is inactive, and cannot sign in: an administrator can change it.")


def _limits(options: dict[str, Any]) -> dict[str, list[str] | None]:
    """Return the given limits; None lifts one."""
    limits = {name: options[name] for name in ("repositories", "visibilities")}
    given = {name: values for name, values in limits.items() if values is not None}
    if options["unlimited"] and given:
        raise CommandError("Give --unlimited alone: it lifts both limits.")
    return dict.fromkeys(limits) if options["unlimited"] else given


def _role(role: str) -> str:
    return "an admin" if role == Role.ADMIN else "a member"
