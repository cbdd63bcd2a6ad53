"""Feature flags: on, off, or on for a share of the customers."""

import hashlib
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Flag:
    """`percent` of the customers see the feature; those in `always` see it in any case."""

    name: str
    percent: int = 0
    always: frozenset[str] = field(default_factory=frozenset)


class FlagSet:
    """The flags of one service, read from its configuration at start."""

    def __init__(self, flags: list[Flag]) -> None:
        self._flags = {flag.name: flag for flag in flags}

    def is_enabled(self, name: str, customer_id: str) -> bool:
        """Whether this customer sees the feature. An unknown flag is off.

        The same customer gets the same answer at every call and in every process, and raising the
        percentage never takes the feature away from anyone.
        """
        flag = self._flags.get(name)
        if flag is None:
            return False
        return customer_id in flag.always or _bucket(name, customer_id) < flag.percent


def _bucket(name: str, customer_id: str) -> int:
    """A number from 0 to 99 that depends on flag and customer, so that roll-outs are independent."""
    digest = hashlib.sha256(f"{name}:{customer_id}".encode()).digest()
    return int.from_bytes(digest[:4], "big") % 100
