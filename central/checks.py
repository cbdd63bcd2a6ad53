"""System checks: required and recommended settings of a deployment."""

import math
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

from central.runtime.listening import CannotListenError, address
from indexer.errors import ConfigurationError
from indexer.store import check_address
from indexer.store.qdrant.address import SCHEMES as QDRANT_SCHEMES
from indexer.store.qdrant.address import QdrantAddress

_Check = Callable[[], Iterator[CheckMessage]]


def check(*, deploy: bool = False, tag: str = Tags.compatibility) -> Callable[[_Check], _Check]:
    """Register a system check; with `deploy` it runs only for `manage.py check --deploy`.

    Those of Tags.compatibility also run before each command of central.commands.
    """

    def registered(messages: _Check) -> _Check:
        register(lambda **_: list(messages()), Tags.security if deploy else tag, deploy=deploy)
        return messages

    return registered


@check()
def check_vector_store() -> Iterator[CheckMessage]:
    """Check that VECTOR_STORE_URL names a known store, with known options."""
    try:
        if settings.VECTOR_STORE_URL != "postgresql:":
            check_address(settings.VECTOR_STORE_URL)
    except ConfigurationError as exc:
        yield Error(
            f"VECTOR_STORE_URL: {exc}",
            hint="Write edge:<directory>, postgresql: for the service's own database, or "
            "qdrant://<host>:6334.",
            id="aeterna.E001",
        )
    try:
        if settings.QDRANT_PUBLIC_URL:
            QdrantAddress.parse(settings.QDRANT_PUBLIC_URL)
    except ConfigurationError as exc:
        yield Error(
            f"QDRANT_PUBLIC_URL: {exc}",
            hint="Write it as VECTOR_STORE_URL is written: qdrants://<host>:6334.",
            id="aeterna.E001",
        )


@check(deploy=True)
def check_qdrant_key() -> Iterator[CheckMessage]:
    """Check that Qdrant's API key, and tokens made of it, cross no network unencrypted."""
    if not settings.QDRANT_API_KEY:
        return
    for name in ("VECTOR_STORE_URL", "QDRANT_PUBLIC_URL"):
        if _is_plain_qdrant(getattr(settings, name) or ""):
            yield Warning(
                f"{name} is not encrypted, and the API key of Qdrant goes over it to another "
                "machine.",
                hint="Set up TLS in Qdrant (service.enable_tls) and write qdrants:// for qdrant://.",
                id="aeterna.W002",
            )


def _is_plain_qdrant(url: str) -> bool:
    if url.split(":", 1)[0] not in QDRANT_SCHEMES:
        return False
    try:
        address = QdrantAddress.parse(url)
    except ConfigurationError:
        return False  # aeterna.E001
    return not address.tls and not address.is_loopback


_LEASES = ("RUN_LEASE_SECONDS", "BACKFILL_LEASE_SECONDS", "SWEEP_SECONDS")
_DAY_SECONDS = 86_400


@check()
def check_limits() -> Iterator[CheckMessage]:
    """Check that limits are positive numbers, and that no lease lasts longer than a day."""
    names = (
        "BATCH_MAX_BYTES",
        "BATCH_MAX_FILES",
        "TREE_MAX_BYTES",
        "RUN_EXPIRES_MINUTES",
        "RUN_LEASE_SECONDS",
        "RUN_MAX_ATTEMPTS",
        "SWEEP_SECONDS",
        "EMBEDDING_RETENTION_DAYS",
        "RUN_RETENTION_DAYS",
        "KEYLESS_SECONDS",
        "BEHIND_MINUTES",
    )
    limits = {name: getattr(settings, name) for name in names}
    limits |= {
        "BACKFILL_MAX_BYTES": settings.BACKFILL.max_bytes,
        "BACKFILL_SECONDS": settings.BACKFILL.max_seconds,
        "BACKFILL_LEASE_SECONDS": settings.BACKFILL.lease_seconds,
    }
    for name, value in limits.items():
        most = _DAY_SECONDS if name in _LEASES else math.inf
        if not 1 <= value <= most:
            yield Error(
                f"AETERNA_{name} is {value}.",
                hint="Give a number above 0"
                + (f" and up to {most:,}" if name in _LEASES else "")
                + ", or leave it unset.",
                id="aeterna.E002",
            )


@check()
def check_addresses() -> Iterator[CheckMessage]:
    """Check that the addresses that id tokens name are in the form that GitHub and clients use."""
    for name in ("PUBLIC_URL", "GITHUB_OIDC_ISSUER"):
        if not is_plain_address(getattr(settings, name) or "https://unset.example"):
            yield Error(
                f"AETERNA_{name} is {getattr(settings, name)!r}.",
                hint="Write https://host.example: in lower case, with neither user nor query, and "
                "without '/' at the end.",
                id="aeterna.E003",
            )


@check()
def check_sidecar() -> Iterator[CheckMessage]:
    """Check the sidecar's address and time limit, if there is a sidecar."""
    if not is_plain_address(settings.CODESEARCH_SIDECAR_URL or "http://unset.example"):
        yield Error(
            "CODESEARCH_SIDECAR_URL is not a sidecar's address.",  # which may hold a secret
            hint="Write the address of its /mcp, such as http://127.0.0.1:8765/mcp: in lower "
            "case, with neither user nor query (callers' own tokens are passed on), and "
            "without '/' at the end.",
            id="aeterna.E004",
        )
    if settings.CODESEARCH_SIDECAR_SECONDS < 1:
        yield Error(
            f"CODESEARCH_SIDECAR_SECONDS is {settings.CODESEARCH_SIDECAR_SECONDS}.",
            hint="Give a number above 0, or leave it unset.",
            id="aeterna.E004",
        )


def is_plain_address(address: str) -> bool:
    """Return whether it is lower-case http or https without user, query or final '/'."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port  # reading the port checks it
    except ValueError:
        return False
    return (
        address.split() == [address.rstrip("/")]
        and address.startswith((f"http://{parts.netloc}", f"https://{parts.netloc}"))
        and bool(host)
        and parts.netloc == parts.netloc.lower()
        and not any(mark in address for mark in "@?#")
    )


@check(deploy=True)
def check_broker() -> Iterator[CheckMessage]:
    """Check that a deployment of several processes has a worker that applies runs."""
    if settings.CELERY_BROKER_URL or settings.VECTOR_STORE_URL.startswith("edge:"):
        return
    yield Warning(
        "There is no broker, so only `python -m central.serve` applies runs.",
        hint="Set CELERY_BROKER_URL and start a Celery worker with beat.",
        id="aeterna.W001",
    )


@check(tag=Tags.urls)
def check_rates() -> Iterator[CheckMessage]:
    """Check that each rate limit of requests can be parsed."""
    for what in ("search", "index"):
        if not _is_rate(rate := getattr(settings.RATES, what)):
            yield Error(
                f"AETERNA_RATE_{what.upper()} is {rate!r}.",
                hint="Write a number of requests in a time, such as 600/minute or 20/second, or "
                "off.",
                id="aeterna.E010",
            )


def _is_rate(rate: str) -> bool:
    from central.http import rate_limits

    try:
        return rate == rate_limits.OFF or rate_limits.parsed(rate).amount > 0
    except ValueError:
        return False


@check()
def check_worker_metrics() -> Iterator[CheckMessage]:
    """Check that a worker can listen at the address of its metrics."""
    try:
        if settings.WORKER_METRICS_BIND:
            address(settings.WORKER_METRICS_BIND)
    except CannotListenError as exc:
        yield Error(
            f"AETERNA_WORKER_METRICS_BIND: {exc}",
            hint="Or leave it unset.",
            id="aeterna.E011",
        )


@check(deploy=True)
def check_public_url() -> Iterator[CheckMessage]:
    """Check that the public address is encrypted."""
    url = settings.PUBLIC_URL
    if url and url.startswith("https://"):
        return
    yield Warning(
        "AETERNA_PUBLIC_URL is not https: tokens and passwords can be read on their way."
        if url
        else "AETERNA_PUBLIC_URL is not set: keyless jobs are refused, and so are forms that a "
        "proxy passes on under another name.",
        hint="Set AETERNA_PUBLIC_URL=https://host.example, the address that people and clients "
        "use, and end TLS at a proxy in front of the service.",
        id="aeterna.W010",
    )
