import unittest
from datetime import UTC, datetime

from acme_auth.tokens import KeyRing, TokenClaims, TokenError, sign_token, verify_token
from acme_common.clock import FrozenClock

NOW = datetime(2026, 3, 1, tzinfo=UTC)
KEYS = KeyRing({"k2": b"new", "k1": b"old"})
CLAIMS = TokenClaims("usr_1", "payments", ("customer",), int(NOW.timestamp()) + 900, "ses_1")


class VerifyTokenTest(unittest.TestCase):
    def setUp(self):
        self.clock = FrozenClock(NOW)

    def test_round_trip(self):
        self.assertEqual(verify_token(sign_token(CLAIMS, KEYS), KEYS, "payments", self.clock), CLAIMS)

    def test_old_key_still_verifies(self):
        token = sign_token(CLAIMS, KeyRing({"k1": b"old"}))
        self.assertEqual(verify_token(token, KEYS, "payments", self.clock).subject, "usr_1")

    def test_expired_and_foreign_tokens_are_refused(self):
        token = sign_token(CLAIMS, KEYS)
        with self.assertRaisesRegex(TokenError, "meant for"):
            verify_token(token, KEYS, "billing", self.clock)
        self.clock.advance(hours=1)
        with self.assertRaisesRegex(TokenError, "expired"):
            verify_token(token, KEYS, "payments", self.clock)


if __name__ == "__main__":
    unittest.main()
