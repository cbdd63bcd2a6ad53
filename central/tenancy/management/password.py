"""A password that a person types for a command."""

import sys
from getpass import getpass

from django.core.management.base import CommandError


def ask_password(*, from_stdin: bool) -> str:
    """Return the first line of standard input, or what is typed twice at the terminal."""
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise CommandError(
            "There is no terminal to ask for the password at: write it to standard input and "
            "give --password-stdin."
        )
    password = getpass("Password: ")
    if getpass("Password (again): ") != password:
        raise CommandError("The two passwords are not the same. Nothing was changed.")
    return password
