"""How much one caller may ask for, and where what was asked is counted."""

from dataclasses import dataclass

from central.settings import env

_SHARED = ("redis://", "rediss://")


@dataclass(frozen=True, slots=True)
class Rates:
    """Requests in a time, as '600/minute' ('off' for no limit), by what they are for."""

    search: str
    index: str


def rates() -> Rates:
    """What each token, and each person, may ask for."""
    return Rates(
        search=env.text("AETERNA_RATE_SEARCH") or "600/minute",
        index=env.text("AETERNA_RATE_INDEX") or "6000/minute",
    )


def rate_storage(broker_url: str | None) -> str | None:
    """The Redis that all processes count in, the broker unless another is named.

    None: each process counts for itself.
    """
    url = env.text("AETERNA_RATE_STORAGE") or broker_url or ""
    return url if url.startswith(_SHARED) else None
