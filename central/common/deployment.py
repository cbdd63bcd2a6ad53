"""Misconfiguration of limits and of the public address, as Django system checks."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

from central.common import rates
from central.listening import CannotListenError, address


@register(Tags.compatibility)
def check_rates(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Each rate is one that can be counted."""
    del app_configs, kwargs
    return [
        Error(
            f"AETERNA_RATE_{what.upper()} is {rate!r}.",
            hint="Write a number of requests in a time, such as 600/minute or 20/second, or off.",
            id="aeterna.E010",
        )
        for what in ("search", "index")
        if not _is_rate(rate := getattr(settings.RATES, what))
    ]


def _is_rate(rate: str) -> bool:
    try:
        return rate == rates.OFF or rates.parsed(rate).amount > 0
    except ValueError:
        return False


@register(Tags.compatibility)
def check_worker_metrics(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """A worker can listen where its figures are to be read."""
    del app_configs, kwargs
    try:
        if settings.WORKER_METRICS_BIND:
            address(settings.WORKER_METRICS_BIND)
    except CannotListenError as exc:
        return [
            Error(
                f"AETERNA_WORKER_METRICS_BIND: {exc}",
                hint="Or leave it unset.",
                id="aeterna.E011",
            )
        ]
    return []


@register(Tags.security, deploy=True)
def check_public_url(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """People and clients are sent to an address that nobody can listen in on."""
    del app_configs, kwargs
    url = settings.PUBLIC_URL
    if url and url.startswith("https://"):
        return []
    return [
        Warning(
            "AETERNA_PUBLIC_URL is not https: tokens and passwords can be read on their way."
            if url
            else "AETERNA_PUBLIC_URL is not set: keyless jobs are refused, and so are forms that a "
            "proxy passes on under another name.",
            hint="Set AETERNA_PUBLIC_URL=https://host.example, the address that people and clients "
            "use, and end TLS at a proxy in front of the service.",
            id="aeterna.W010",
        )
    ]
