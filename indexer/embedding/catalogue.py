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
# Those that are asked over a network: slower, away at times, and perhaps for money.
REMOTE: Final = frozenset({"openai", "ollama"})

_MOST: Final = 4000  # what pgvector's index of half-precision vectors holds
# The fewest and the most dimensions that a model can be asked for.
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
    """Why nothing makes such vectors, and what to write instead; None: something may.

    Of models that are not known here any number of dimensions is believed.
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
    """The fewest and the most dimensions of the spec's model; None: nothing is known of it."""
    return _DIMENSIONS.get((spec.provider, base_name(spec)))


def base_name(spec: EmbedderSpec) -> str:
    """The model without the tag that Ollama's names may end with."""
    return spec.model.partition(":")[0] if spec.provider == "ollama" else spec.model


_DOLLARS_PER_MILLION_TOKENS: Final[Mapping[str, float]] = {
    "text-embedding-3-small": 0.02,
    "text-embedding-3-large": 0.13,
    "text-embedding-ada-002": 0.10,
}


def openai_price(base_url: str, model: str) -> float | None:
    """Dollars for a million tokens; None: another host's prices are not known, or the model."""
    if urlsplit(base_url).hostname != "api.openai.com":
        return None
    return _DOLLARS_PER_MILLION_TOKENS.get(model)
