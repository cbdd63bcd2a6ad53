#!/usr/bin/env python
"""Django's command line for the central service."""

import os
import sys


def main() -> None:
    """Run a management command; without DJANGO_SETTINGS_MODULE the embedded settings."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
