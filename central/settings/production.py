"""Settings of several processes or machines, all from the environment."""

from central.settings import env
from central.settings.base import *  # noqa: F403
from central.settings.base import OWN_HOSTS, database
from central.settings.services import vector_store_url

SECRET_KEY = env.required("SECRET_KEY")
# Health checks inside of a container ask by its loopback address.
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *OWN_HOSTS]
MIGRATES_AT_START = False
DATABASE_URL = env.required("DATABASE_URL")
DATABASES = {"default": database(DATABASE_URL)}
VECTOR_STORE_URL = vector_store_url() or env.required("VECTOR_STORE_URL")

SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = env.flag("AETERNA_SSL_REDIRECT", default=True)
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = env.number("AETERNA_HSTS_SECONDS", default=31_536_000)
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
