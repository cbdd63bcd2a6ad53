"""What OpenAI takes for embeddings, as of 2026-11 (openai.com/api/pricing, standard tier)."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

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
