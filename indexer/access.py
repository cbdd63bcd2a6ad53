"""Where the services are that embedders and direct uploads ask, and with which secrets."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True, slots=True)
class EmbedderAccess:
    """What `open_embedder` may use; a provider that is not set up here raises when it is opened.

    `models` is a directory of further static models, each in a folder of its name.
    """

    openai_api_key: str | None = field(default=None, repr=False)
    openai_base_url: str = "https://api.openai.com/v1"
    ollama_url: str = "http://127.0.0.1:11434"
    models: Path | None = None
    timeout_seconds: float = 60.0  # of one attempt
    retry_seconds: float = 120.0  # how long a service that is away or busy is waited for


@dataclass(frozen=True, slots=True)
class DirectAccess:
    """One repository's collection in a Qdrant server, for a client that writes there itself.

    `url` is as open_store reads it; `token` None: the client uses a secret of its own.
    """

    url: str
    collection: str
    token: str | None = field(default=None, repr=False)
    expires_at: datetime | None = None
