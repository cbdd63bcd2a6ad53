"""Settings of checks without a database, such as mypy, which exits without clean-up."""

from central.settings.base import *  # noqa: F403
from central.settings.base import database

SECRET_KEY = "static-checks-only"  # noqa: S105
DATABASE_URL = "postgresql://static@127.0.0.1:9/none"
DATABASES = {"default": database(DATABASE_URL)}
