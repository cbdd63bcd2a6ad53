"""System checks of the settings of embedders."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.core.exceptions import ValidationError

from central.checks import is_plain_address
from central.tenancy.models import validate_embedder


@register(Tags.compatibility)
def check_default_embedder(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Check that the embedder of new organisations exists."""
    del app_configs, kwargs
    try:
        validate_embedder(settings.DEFAULT_EMBEDDER)
    except ValidationError as exc:
        return [
            Error(
                f"The embedder of new organisations cannot be: {' '.join(exc.messages)}",
                hint="Set CODESEARCH_EMBEDDER_PROVIDER to builtin, openai or ollama and, for "
                "another model than the provider's usual one, CODESEARCH_EMBEDDER_MODEL and "
                "CODESEARCH_EMBEDDER_DIMENSIONS.",
                id="aeterna.E006",
            )
        ]
    return []


@register(Tags.compatibility)
def check_embedding_services(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Check that addresses of embedding services are valid and hold no secret."""
    del app_configs, kwargs
    access = settings.EMBEDDER_ACCESS
    given = {"OPENAI_BASE_URL": access.openai_base_url, "OLLAMA_URL": access.ollama_url}
    return [
        Error(
            f"{name} is not a service's address.",  # which may hold a secret
            hint="Write http://host or https://host, with a path if need be: in lower case, with "
            "neither user nor query. A key goes into OPENAI_API_KEY.",
            id="aeterna.E007",
        )
        for name, url in given.items()
        if not is_plain_address(url)
    ]


@register(Tags.security, deploy=True)
def check_key(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Check that queries of new organisations can be embedded."""
    del app_configs, kwargs
    is_openai = settings.DEFAULT_EMBEDDER.startswith("openai/")
    if not is_openai or settings.EMBEDDER_ACCESS.openai_api_key:
        return []
    return [
        Warning(
            f"New organisations get {settings.DEFAULT_EMBEDDER}, and there is no OPENAI_API_KEY.",
            hint="Set OPENAI_API_KEY or OPENAI_API_KEY_FILE, or CODESEARCH_EMBEDDER_PROVIDER.",
            id="aeterna.W003",
        )
    ]
