"""The address and options of a Qdrant server: `qdrant://HOST:PORT?OPTIONS`. Parsing only."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from indexer.errors import ConfigurationError

CollectionsPer: TypeAlias = Literal["project", "organization"]
Transport: TypeAlias = Literal["grpc", "rest"]
Quantization: TypeAlias = Literal["int8", "none"]

SCHEMES: Final = {"qdrant": False, "qdrants": True}  # scheme → TLS
_PORTS: Final = {"grpc": 6334, "rest": 6333}
_OF_REST: Final = {"http": "qdrant", "https": "qdrants"}
_CHOICES: Final = {
    "collections": ("project", "organization"),
    "transport": ("grpc", "rest"),
    "quantization": ("int8", "none"),
    "jwt": ("true", "false"),
}
_NUMBERS: Final = ("timeout", "shards", "replicas")
_LONGEST_SHOWN: Final = 20  # longer text may be a misplaced key
_KEY_ADVICE: Final = (
    "An address holds no secret: give the API key as QDRANT_API_KEY or QDRANT_API_KEY_FILE."
)


@dataclass(frozen=True, slots=True)
class QdrantAddress:
    """A parsed address. An IPv6 `host` keeps its brackets."""

    host: str
    port: int
    tls: bool = False
    collections: CollectionsPer = "project"
    transport: Transport = "grpc"
    timeout_seconds: int = 5  # of one interactive request
    shards: int | None = None  # None: the server's default
    replicas: int | None = None
    quantization: Quantization = "int8"
    jwt: bool = False

    @classmethod
    def parse(cls, url: str) -> "QdrantAddress":
        """Parse `qdrant://` or, with TLS, `qdrants://`. Raises ConfigurationError.

        The error names the invalid part, but never text that may be a secret.
        """
        parts = _split(url)
        options = _options(parts.query)
        transport = cast(Transport, options.get("transport", "grpc"))
        return cls(
            host=_host(parts),
            port=parts.port or _PORTS[transport],
            tls=SCHEMES[parts.scheme],
            collections=cast(CollectionsPer, options.get("collections", "project")),
            transport=transport,
            timeout_seconds=_number(options, "timeout") or 5,
            shards=_number(options, "shards"),
            replicas=_number(options, "replicas"),
            quantization=cast(Quantization, options.get("quantization", "int8")),
            jwt=options.get("jwt") == "true",
        )

    @property
    def endpoint(self) -> str:
        """HOST:PORT, for messages."""
        return f"{self.host}:{self.port}"

    @property
    def for_clients(self) -> str:
        """The address with only the options that direct upload needs."""
        scheme = "qdrants" if self.tls else "qdrant"
        options: dict[str, str] = {}
        if self.transport != "grpc":
            options["transport"] = self.transport
        if self.timeout_seconds != 5:
            options["timeout"] = str(self.timeout_seconds)
        return f"{scheme}://{self.endpoint}" + (f"?{urlencode(options)}" if options else "")

    @property
    def is_loopback(self) -> bool:
        """Whether the server is on this machine, so that no traffic leaves it."""
        return self.host in {"localhost", "[::1]"} or self.host.startswith("127.")


def from_rest_url(url: str) -> str:
    """Convert `http://HOST:6333`, as Qdrant's tools write it, to a `qdrant://` address (gRPC).

    Any port other than Qdrant's default stays and is used for REST. A `qdrant://` address is
    returned unchanged. Raises ConfigurationError.
    """
    scheme, colon, rest = url.partition("://")
    if scheme in SCHEMES:
        QdrantAddress.parse(url)
        return url
    if scheme not in _OF_REST or not colon:
        message = "QDRANT_URL must be http://HOST:6333, https://HOST:6333 or qdrant://HOST:6334."
        raise ConfigurationError(message)
    parts = _split(f"{_OF_REST[scheme]}://{rest.rstrip('/')}")
    if parts.port in {None, _PORTS["rest"]}:
        return f"{parts.scheme}://{_host(parts)}:{_PORTS['grpc']}"
    return f"{parts.scheme}://{_host(parts)}:{parts.port}?transport=rest"


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        valid_port = parts.port is None or parts.port > 0  # the property validates it
    except ValueError as exc:
        raise ConfigurationError(_EXPECTED) from exc
    if "@" in parts.netloc:
        message = f"The address of Qdrant holds a user or a key. {_KEY_ADVICE}"
        raise ConfigurationError(message)
    if (
        parts.scheme not in SCHEMES
        or not valid_port
        or not parts.hostname
        or parts.path not in {"", "/"}
        or parts.fragment
    ):
        raise ConfigurationError(_EXPECTED)
    return parts


_EXPECTED = (
    "The address of Qdrant must be qdrant://HOST:6334 or, with TLS, qdrants://HOST:6334, "
    "and options after '?'."
)


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    return f"[{host}]" if ":" in host else host


def _options(query: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in _CHOICES and name not in _NUMBERS:
            raise ConfigurationError(_unknown(name))
        if name in _CHOICES and value not in _CHOICES[name]:
            known = " or ".join(_CHOICES[name])
            message = f"The option '{name}' of Qdrant's address must be {known}."
            raise ConfigurationError(message)
        options[name] = value
    return options


def _unknown(name: str) -> str:
    if "key" in name.lower() or "token" in name.lower():
        return f"The address of Qdrant holds the option '{name}'. {_KEY_ADVICE}"
    shown = f" '{name}'" if name.isalpha() and len(name) <= _LONGEST_SHOWN else ""
    known = ", ".join(sorted([*_CHOICES, *_NUMBERS]))
    return f"The address of Qdrant has an unknown option{shown}. There are: {known}."


def _number(options: Mapping[str, str], name: str) -> int | None:
    value = options.get(name)
    if value is None:
        return None
    if not value.isascii() or not value.isdigit() or int(value) == 0:
        message = f"The option '{name}' of Qdrant's address must be a whole number above 0."
        raise ConfigurationError(message)
    return int(value)
