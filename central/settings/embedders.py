"""Where embedding services are, as the environment says, and which embedder is for newcomers."""

from pathlib import Path
from typing import Final

from central.settings import env
from indexer.embedding.catalogue import DEFAULTS, dimensions_of
from indexer.records.vectors import EmbedderConfig, EmbedderSpec

# Somebody waits for each query: one that a service does not take at once is searched without.
_TIMEOUT_SECONDS: Final = 3.0
_RETRY_SECONDS: Final = 0.5


def access() -> EmbedderConfig:
    """What the service may use to embed queries."""
    default = EmbedderConfig()
    models = env.text("AETERNA_MODELS_DIR")
    return EmbedderConfig(
        openai_api_key=env.text("OPENAI_API_KEY"),
        openai_base_url=(env.text("OPENAI_BASE_URL") or default.openai_base_url).rstrip("/"),
        ollama_url=(env.text("OLLAMA_URL") or default.ollama_url).rstrip("/"),
        models=Path(models) if models else None,
        timeout_seconds=_TIMEOUT_SECONDS,
        retry_seconds=_RETRY_SECONDS,
    )


def default_embedder() -> str:
    """What new organisations get: provider/model/dimensions, which a system check looks at.

    Of what is not said, the provider's own default, or what its model is known to have.
    """
    provider = env.text("CODESEARCH_EMBEDDER_PROVIDER") or "builtin"
    usual = DEFAULTS.get(provider)
    model = env.text("CODESEARCH_EMBEDDER_MODEL") or (usual.model if usual else "")
    known = dimensions_of(EmbedderSpec(provider, model, 0))
    dimensions = env.number("CODESEARCH_EMBEDDER_DIMENSIONS", default=known[1] if known else 0)
    return str(EmbedderSpec(provider, model, dimensions))
