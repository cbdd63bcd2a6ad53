"""System checks of the settings of embedders."""

from collections.abc import Iterator

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.core.exceptions import ValidationError

from central.checks import check, is_plain_address
from central.tenancy.models import validate_embedder


@check()
def check_default_embedder() -> Iterator[CheckMessage]:
    """Check that the embedder of new organisations exists."""
    try:
        validate_embedder(settings.DEFAULT_EMBEDDER)
    except ValidationError as exc:
        yield Error(
            f"The embedder of new organisations cannot be: {' '.join(exc.messages)}",
            hint="Set CODESEARCH_EMBEDDER_PROVIDER to builtin, openai or ollama and, for "
            "another model than the provider's usual one, CODESEARCH_EMBEDDER_MODEL and "
            "CODESEARCH_EMBEDDER_DIMENSIONS.",
            id="aeterna.E006",
        )


@check()
def check_embedding_services() -> Iterator[CheckMessage]:
    """Check that addresses of embedding services are valid and hold no secret."""
    access = settings.EMBEDDER_ACCESS
    given = {"OPENAI_BASE_URL": access.openai_base_url, "OLLAMA_URL": access.ollama_url}
    for name, url in given.items():
        if not is_plain_address(url):
            yield Error(
                f"{name} is not a service's address.",  # which may hold a secret
                hint="Write http://host or https://host, with a path if need be: in lower case, "
                "with neither user nor query. A key goes into OPENAI_API_KEY.",
                id="aeterna.E007",
            )


@check(deploy=True)
def check_key() -> Iterator[CheckMessage]:
    """Check that queries of new organisations can be embedded."""
    is_openai = settings.DEFAULT_EMBEDDER.startswith("openai/")
    if not is_openai or settings.EMBEDDER_ACCESS.openai_api_key:
        return
    yield Warning(
        f"New organisations get {settings.DEFAULT_EMBEDDER}, and there is no OPENAI_API_KEY.",
        hint="Set OPENAI_API_KEY or OPENAI_API_KEY_FILE, or CODESEARCH_EMBEDDER_PROVIDER.",
        id="aeterna.W003",
    )
