"""One process without configuration: PostgreSQL from its wheel in the data directory.

Also the settings of every process that shares that data directory (workers, commands): the first
process starts the database, and the last one stops it.
"""

from central.runtime import data_directory
from central.settings import env
from central.settings.base import *  # noqa: F403
from central.settings.base import DATA_DIR, OWN_HOSTS, database

SECRET_KEY = env.text("SECRET_KEY") or data_directory.load_or_create_secret(DATA_DIR / "secret_key")
# Commands ask the running server by its loopback address.
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *OWN_HOSTS]
DATABASE_URL = env.text("DATABASE_URL")
DATABASE_IS_EMBEDDED = not DATABASE_URL
if not DATABASE_URL:
    env.unset("PG")  # libpq and the wheel would obey what is meant for another database
    from central.runtime.postgres import embedded_postgres

    DATABASE_URL = embedded_postgres(DATA_DIR / "postgres")
DATABASES = {"default": database(DATABASE_URL)}
