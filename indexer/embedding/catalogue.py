"""Models that embedders offer: dimensions, limits and prices."""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from indexer.records.vectors import EmbedderSpec

PACKAGED: Final = EmbedderSpec("builtin", "aeterna-static-1", 256)
DEFAULTS: Final[Mapping[str, EmbedderSpec]] = {
    "builtin": PACKAGED,
    "openai": EmbedderSpec("openai", "text-embedding-3-small", 1536),
    "ollama": EmbedderSpec("ollama", "nomic-embed-text", 768),
}
# Providers behind a network: slower, at times unavailable, and possibly billed.
REMOTE: Final = frozenset({"openai", "ollama"})

_MOST: Final = 4000  # the limit of pgvector's index of half-precision vectors
# The fewest and the most dimensions that a model supports.
_DIMENSIONS: Final[Mapping[tuple[str, str], tuple[int, int]]] = {
    ("builtin", PACKAGED.model): (PACKAGED.dimensions, PACKAGED.dimensions),
    ("openai", "text-embedding-3-small"): (1, 1536),
    ("openai", "text-embedding-3-large"): (1, 3072),
    ("openai", "text-embedding-ada-002"): (1536, 1536),
    ("ollama", "nomic-embed-text"): (768, 768),
}
_NAMES: Final[Mapping[str, str]] = {
    "builtin": r"[A-Za-z0-9][A-Za-z0-9._-]*",  # a folder's
    "openai": r"[!-~]+",
    "ollama": r"[!-~]+",
}


def spec_error(spec: EmbedderSpec) -> str | None:
    """Explain why the spec is invalid and what to write instead; None if it may be valid.

    Unknown models are accepted with any number of dimensions.
    """
    provider, model = spec.provider, spec.model
    if provider not in _NAMES:
        return f"The providers are {', '.join(DEFAULTS)}, not {provider!r}: write {PACKAGED}."
    if not re.fullmatch(_NAMES[provider], model):
        return f"{model!r} is no model's name: write one such as {DEFAULTS[provider]}."
    if not 1 <= spec.dimensions <= _MOST:
        return f"{spec.dimensions} dimensions are none that can be stored: write 1 to {_MOST}."
    least, most = dimensions_of(spec) or (1, _MOST)
    if least <= spec.dimensions <= most:
        return None
    limit = "" if least == most else "at most "
    return (
        f"{model} makes vectors of {limit}{most} dimensions, not {spec.dimensions}: "
        f"write {provider}/{model}/{most}."
    )


def dimensions_of(spec: EmbedderSpec) -> tuple[int, int] | None:
    """Return the fewest and the most dimensions of the spec's model; None if it is unknown."""
    return _DIMENSIONS.get((spec.provider, base_name(spec)))


def base_name(spec: EmbedderSpec) -> str:
    """Return the model's name without Ollama's tag."""
    return spec.model.partition(":")[0] if spec.provider == "ollama" else spec.model


_DOLLARS_PER_MILLION_TOKENS: Final[Mapping[str, float]] = {
    "text-embedding-3-small": 0.02,
    "text-embedding-3-large": 0.13,
    "text-embedding-ada-002": 0.10,
}


def openai_price(base_url: str, model: str) -> float | None:
    """Return dollars for a million tokens; None for another host or an unknown model."""
    if urlsplit(base_url).hostname != "api.openai.com":
        return None
    return _DOLLARS_PER_MILLION_TOKENS.get(model)
