"""Settings of tests: a PostgreSQL in a temporary directory of the process."""

import atexit
import shutil
import subprocess
import tempfile
from pathlib import Path

from central.runtime.postgres import embedded_postgres
from central.settings import env, sso
from central.settings.base import *  # noqa: F403
from central.settings.base import INSTALLED_APPS, MIDDLEWARE, database
from central.settings.services import Rates

DATA_DIR = Path(tempfile.mkdtemp(prefix="aeterna-test-"))
atexit.register(shutil.rmtree, DATA_DIR, ignore_errors=True)

SECRET_KEY = "test-only-secret-key-that-is-long-enough-for-hmac"  # noqa: S105
ALLOWED_HOSTS = ["*"]
METRICS_TOKEN = "test-only-token-of-metrics"  # noqa: S105
env.unset("PG")
DATABASE_IS_EMBEDDED = True
if template := env.text("AETERNA_TEST_DATABASE"):  # of tests/database.py, with its tables
    source, target = Path(template).with_name("tests"), DATA_DIR / "postgres"
    subprocess.run(["cp", "-a", source, target], check=True)  # noqa: S603, S607
DATABASE_URL = embedded_postgres(DATA_DIR / "postgres")
DATABASES = {"default": database(DATABASE_URL)}
del DATABASES["default"]["OPTIONS"]["pool"]  # pytest-django keeps one connection
DATABASES["default"]["TEST"] = {"NAME": "test_postgres", "TEMPLATE": DATABASES["default"]["NAME"]}
VECTOR_STORE_URL = f"edge:{DATA_DIR / 'edge'}"
CELERY_BROKER_URL = None
RATES = Rates(search="off", index="off")  # tests of limits set their own
RATE_STORAGE = None
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
WHITENOISE_AUTOREFRESH = True  # each test's client would list all static files: 20 ms

SSO = None  # tests of it set their own provider
INSTALLED_APPS += sso.APPS
MIDDLEWARE += sso.MIDDLEWARE
