"""Django's command line for the central service: `manage.py` of a checkout, `aeterna-manage` of an
installed package.
"""

import gc
import os
import sys
from typing import Final

_NO_SUCH_TABLE: Final = "42P01"
_CONNECTION_SECONDS: Final = 30  # a command waits for a busy database; a request would not


def main() -> None:
    """Run a management command; without DJANGO_SETTINGS_MODULE the embedded settings."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "central.settings.embedded")
    gc.disable()  # what is loaded stays: looking for garbage in it took a fifth of a command's time
    import django
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import ProgrammingError

    try:
        django.setup()
        _wait_for_connections()
        gc.freeze()
        gc.enable()
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as exc:
        sys.exit(str(exc))
    except ProgrammingError as exc:
        if getattr(exc.__cause__, "sqlstate", None) != _NO_SUCH_TABLE:
            raise
        sys.exit(_not_started_yet())


def _wait_for_connections() -> None:
    from django.conf import settings

    options = settings.DATABASES["default"]["OPTIONS"]
    options["connect_timeout"] = _CONNECTION_SECONDS
    if pool := options.get("pool"):
        pool |= {"timeout": _CONNECTION_SECONDS, "reconnect_timeout": _CONNECTION_SECONDS}


def _not_started_yet() -> str:
    from django.conf import settings

    return (
        f"The database has no tables, or those of an older version (data in {settings.DATA_DIR}). "
        "Start the service, which makes them: `codesearch serve`, or `make serve` in a checkout. "
        "If it runs already, set AETERNA_DATA_DIR and DATABASE_URL here as they are set there."
    )
