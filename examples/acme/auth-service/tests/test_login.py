import unittest
from datetime import UTC, datetime

from acme_auth.handlers import HandleLogin, LoginFailedError, User
from acme_auth.passwords import hash_password
from acme_auth.sessions import SessionRevokedError, SessionStore
from acme_auth.throttle import MAX_FAILURES, LoginThrottle
from acme_auth.tokens import KeyRing
from acme_common.clock import FrozenClock


class Directory(dict):
    def find_by_email(self, email):
        return self.get(email)


class HandleLoginTest(unittest.TestCase):
    def setUp(self):
        clock = FrozenClock(datetime(2026, 3, 1, tzinfo=UTC))
        user = User("usr_1", "ada@acme.test", hash_password("correct horse battery"), ("customer",))
        self.sessions = SessionStore(clock)
        self.login = HandleLogin(
            Directory({user.email: user}), self.sessions, LoginThrottle(clock), KeyRing({"k": b"s"}), clock
        )

    def test_account_is_locked_after_too_many_failures(self):
        for _ in range(MAX_FAILURES):
            with self.assertRaises(LoginFailedError):
                self.login("ada@acme.test", "wrong", "payments")
        with self.assertRaises(LoginFailedError):
            self.login("ada@acme.test", "correct horse battery", "payments")

    def test_refresh_token_reuse_revokes_the_session(self):
        pair = self.login("ada@acme.test", "correct horse battery", "payments")
        _, fresh = self.sessions.rotate(pair.refresh_token)
        with self.assertRaises(SessionRevokedError):
            self.sessions.rotate(pair.refresh_token)
        with self.assertRaises(SessionRevokedError):
            self.sessions.rotate(fresh)


if __name__ == "__main__":
    unittest.main()
