"""Settings of every mode. A mode adds the secret key, the hosts and the database."""

from typing import Any

import dj_database_url
from csp.constants import NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from django.core.exceptions import ImproperlyConfigured

from central.runtime import data_directory
from central.settings import admin, backfill, env, services, sso
from central.settings.services import vector_store_url
from indexer import limits
from indexer.records import runs

DATA_DIR = data_directory.data_directory(env.text("AETERNA_DATA_DIR"))
BIND = env.text("AETERNA_BIND") or "127.0.0.1:8000"
TRUSTED_PROXIES = env.words("AETERNA_TRUSTED_PROXIES", default="127.0.0.1,::1")  # whose word counts
MIGRATES_AT_START = True  # the server makes its tables

SECRET_KEY_FALLBACKS = env.words("SECRET_KEY_FALLBACKS")  # keys of before: what they signed holds

DEBUG = False
ROOT_URLCONF = "central.urls"
ASGI_APPLICATION = "central.asgi.application"
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en-us"
FORMAT_MODULE_PATH = "central.formats"
USE_I18N = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
STATIC_URL = "static/"
STATIC_ROOT = None  # they are served from their packages: nothing to collect
WHITENOISE_USE_FINDERS = True

INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",  # before the admin, whose templates it replaces
    "central.tenancy.apps.Administration",  # django.contrib.admin, with our own site
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "central.tenancy.apps.TenancyConfig",
    "central.forges.apps.ForgesConfig",
    "central.repositories",
    "central.github",
    "central.corpus",
    "central.ingest",
    "central.maintenance",
    "central.trace.stored.apps.StoredEdgesConfig",
    "central.knowledge",
    "central.onboarding",
    "central.saved_searches",
    "central.alerts",
    "central.web",
]

MIDDLEWARE = [
    "central.observability.requests.RequestLog",
    "central.http.middleware.SecurityHeaders",
    "django.middleware.security.SecurityMiddleware",
    "central.http.middleware.StaticFiles",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "central.http.middleware.ContentPolicy",
    "django_htmx.middleware.HtmxMiddleware",
    "central.web.errors.ErrorPages",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["django.contrib.humanize.templatetags.humanize"],  # 12,345
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "central.web.access.page_context",
            ],
        },
    }
]

CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "queries": {  # the vectors of queries: 6 KiB each with 1,536 dimensions
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "queries",
        "TIMEOUT": 24 * 3600,
        "OPTIONS": {"MAX_ENTRIES": 4_000},
    },
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["central.tenancy.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["central.tenancy.authentication.HasScope"],
    "DEFAULT_THROTTLE_CLASSES": ["central.tenancy.authentication.TokenRate"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["central.http.bodies.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "central.http.problems.exception_handler",
    "UNAUTHENTICATED_USER": None,
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Aeterna Code Search",
    "DESCRIPTION": "Organisation-wide code search. Every answer says which commits it is of.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": [],
    "COMPONENT_SPLIT_REQUEST": True,
    "SWAGGER_UI_DIST": "SIDECAR",  # no page of ours loads anything from elsewhere
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# --- People -------------------------------------------------------------------------------------

LOGIN_URL = "web:sign-in"
LOGIN_REDIRECT_URL = "web:home"
LOGOUT_REDIRECT_URL = "web:sign-in"

_PASSWORDS = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_PASSWORDS}.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": f"{_PASSWORDS}.CommonPasswordValidator"},
    {"NAME": f"{_PASSWORDS}.NumericPasswordValidator"},
    {"NAME": f"{_PASSWORDS}.UserAttributeSimilarityValidator"},
]

SESSION_COOKIE_AGE = 14 * 86_400
SESSION_COOKIE_SAMESITE = "Lax"  # a link from elsewhere opens a page; nothing is posted from there
SESSION_COOKIE_HTTPONLY = True

SSO = sso.single_sign_on()
ACCOUNT_EMAIL_VERIFICATION = sso.ACCOUNT_EMAIL_VERIFICATION
ACCOUNT_ADAPTER = sso.ACCOUNT_ADAPTER
SOCIALACCOUNT_ADAPTER = sso.SOCIALACCOUNT_ADAPTER
if SSO is not None:
    INSTALLED_APPS += sso.APPS
    MIDDLEWARE += sso.MIDDLEWARE

CSRF_FAILURE_VIEW = "central.web.errors.csrf_failed"
LOGGING_CONFIG = "central.observability.logs.configure"
LOGGING = {"level": env.text("AETERNA_LOG_LEVEL") or "INFO"}

# --- Stores and tasks ---------------------------------------------------------------------------

DATABASE_IS_EMBEDDED = False  # on the disk of DATA_DIR, that is
VECTOR_STORE_URL = vector_store_url() or f"edge:{DATA_DIR / 'edge'}"
QDRANT_API_KEY = env.text("QDRANT_API_KEY")
QDRANT_PUBLIC_URL = env.text("QDRANT_PUBLIC_URL")  # for clients that write to Qdrant themselves
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL")

if CELERY_BROKER_URL and VECTOR_STORE_URL.startswith("edge:"):
    raise ImproperlyConfigured(
        "CELERY_BROKER_URL is set, but the vector store is the embedded one, which belongs to one "
        "process: a web process and a worker cannot share it. Set VECTOR_STORE_URL=postgresql: "
        "(the service's own database) or qdrant://HOST:6334, or unset CELERY_BROKER_URL."
    )

SWEEP_SECONDS = env.number("AETERNA_SWEEP_SECONDS", default=10)

CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 20
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a broker may be away for longer than any count says
# Above the longest apply: a message that is still being worked on is not handed out again.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 4 * 3600,
    "socket_connect_timeout": 2,
    "socket_timeout": 5,
    "max_retries": 0,  # of connecting to send a message: no request waits for an unreachable broker
}
CELERY_TASK_PUBLISH_RETRY = False  # the run is queued in the database; the sweeper finds it

# --- Embedders ----------------------------------------------------------------------------------

EMBEDDER_ACCESS = services.access()
DEFAULT_EMBEDDER = services.default_embedder()
SEARCHES_AT_ONCE = services.searches_at_once(DEFAULT_EMBEDDER)

# --- The run protocol's limits ------------------------------------------------------------------

BATCH_MAX_BYTES = env.number("AETERNA_BATCH_MAX_BYTES", default=runs.BATCH_BYTES)
BATCH_MAX_FILES = env.number("AETERNA_BATCH_MAX_FILES", default=services.BATCH_FILES)
TREE_MAX_BYTES = env.number("AETERNA_TREE_MAX_BYTES", default=runs.TREE_BYTES)
WAITING_MAX_BYTES = env.number("AETERNA_WAITING_MAX_BYTES", default=services.WAITING_BYTES)
REPOSITORIES_MAX = env.number(
    "AETERNA_REPOSITORIES_MAX", default=services.REPOSITORIES_OF_ORGANIZATION
)
RUN_EXPIRES_MINUTES = env.number("AETERNA_RUN_EXPIRES_MINUTES", default=60)
RUN_LEASE_SECONDS = env.number("AETERNA_RUN_LEASE_SECONDS", default=10)
RUN_MAX_ATTEMPTS = env.number("AETERNA_RUN_MAX_ATTEMPTS", default=5)
EMBEDDING_RETENTION_DAYS = env.number("AETERNA_EMBEDDING_RETENTION_DAYS", default=30)
RUN_RETENTION_DAYS = env.number("AETERNA_RUN_RETENTION_DAYS", default=90)
HISTORY_COMMITS = max(0, env.number("AETERNA_HISTORY_COMMITS", default=services.HISTORY_COMMITS))
HISTORY_LINES = env.flag("AETERNA_HISTORY_LINES", default=True)
HISTORY_DAYS = min(max(0, env.number("AETERNA_HISTORY_DAYS", default=0)), 36_500)  # 0: however old
METRICS_TOKEN = env.text("AETERNA_METRICS_TOKEN")  # that a scraper sends; None: no metrics
WORKER_METRICS_BIND = env.text("AETERNA_WORKER_METRICS_BIND")
LOG_QUERIES = env.flag("AETERNA_LOG_QUERIES", default=True)
TRACING = services.has_collector()
TRACING_SERVICE_NAME = services.service_name()
RATES = services.rates()
RATE_STORAGE = services.rate_storage(CELERY_BROKER_URL)

# --- Agents -------------------------------------------------------------------------------------

# A sidecar that the `code_*` tools at /mcp forward to; without, they ask the services here.
CODESEARCH_SIDECAR_URL = env.text("CODESEARCH_SIDECAR_URL")
CODESEARCH_SIDECAR_SECONDS = env.number("CODESEARCH_SIDECAR_SECONDS", default=10)

# --- GitHub -------------------------------------------------------------------------------------

# How clients reach this service: the one audience that id tokens may be for.
PUBLIC_URL = env.text("AETERNA_PUBLIC_URL")
OWN_HOSTS = [
    *env.hosts("AETERNA_ALLOWED_HOSTS"),
    *filter(None, map(env.host, ("AETERNA_PUBLIC_URL", "AETERNA_BACKFILL_URL"))),
]
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if PUBLIC_URL else []  # aeterna.E003 holds it to be one
GITHUB_OIDC_ISSUER = (
    env.text("AETERNA_GITHUB_OIDC_ISSUER") or "https://token.actions.githubusercontent.com"
)
GITHUB_WEBHOOK_SECRET = env.text("GITHUB_WEBHOOK_SECRET")  # of the GitHub App
GITHUB_WEBHOOK_SECRET_PREVIOUS = env.text("GITHUB_WEBHOOK_SECRET_PREVIOUS")  # taken as well
KEYLESS_SECONDS = env.number("AETERNA_KEYLESS_SECONDS", default=900)
BEHIND_MINUTES = env.number("AETERNA_BEHIND_MINUTES", default=15)

# --- Alerts -------------------------------------------------------------------------------------

# Private networks in which an organisation's receiver of alerts may be; http:// too.
ALERT_NETWORKS = env.networks("AETERNA_ALERT_NETWORKS")

# --- Backfill -----------------------------------------------------------------------------------

BACKFILL = backfill.backfill()

# Larger bodies are read as a stream by the batch views, which have their own limit.
DATA_UPLOAD_MAX_MEMORY_SIZE = limits.REQUEST_BYTES

SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

# By the beginning of the path: directives that stand in place of those above.
CONTENT_SECURITY_EXCEPTIONS = {
    "/admin/": {  # unfold's Alpine evaluates expressions and sets styles
        "script-src": [SELF, UNSAFE_EVAL],
        "style-src": [SELF, UNSAFE_INLINE],
    },
    "/api/v1/docs": {"style-src": [SELF, UNSAFE_INLINE]},  # Swagger UI's page has a style element
}
UNFOLD = admin.UNFOLD


def database(url: str) -> dict[str, Any]:
    """Return DATABASES["default"] for `url`, pooled: ASGI threads do not outlive a request.

    A connection is tested before use (a round trip): otherwise each pooled one would fail a request
    after PostgreSQL was unavailable. One that cannot be reopened is dropped, not retried with
    growing delays while requests wait.
    """
    config: dict[str, Any] = dict(dj_database_url.parse(url, conn_health_checks=True))
    config["OPTIONS"] = {
        **config.get("OPTIONS", {}),
        "connect_timeout": 3,
        "prepare_threshold": 5,  # lets central.db prepare; Django's cursors never do
        "pool": {"min_size": 1, "max_size": 20, "timeout": 3, "reconnect_timeout": 3},
    }
    return config
