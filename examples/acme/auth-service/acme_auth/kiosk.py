"""Log-in at the kiosks in the shops, where a member card stands in for the e-mail address."""

from collections.abc import Mapping

from acme_common.clock import Clock

from acme_auth import handlers
from acme_auth.sessions import SessionStore
from acme_auth.throttle import LoginThrottle
from acme_auth.tokens import KeyRing


class KioskLogin:
    """Knows which member card belongs to whom and leaves the rest to the ordinary log-in."""

    def __init__(self, login: handlers.HandleLogin, members: Mapping[str, str]) -> None:
        self._login = login
        self._members = members

    def __call__(self, card: str, password: str) -> handlers.TokenPair:
        return self._login(self._members[card], password, audience="kiosk")


def build_kiosk_login(users: handlers.UserDirectory, members: Mapping[str, str], clock: Clock) -> KioskLogin:
    """The kiosks share the users of the shop but not its sessions."""
    login = handlers.HandleLogin(
        users, SessionStore(clock), LoginThrottle(clock), KeyRing.from_environment(), clock
    )
    return KioskLogin(login, members)
