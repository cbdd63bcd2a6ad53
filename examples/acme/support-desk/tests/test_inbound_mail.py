import unittest

from support.inbound_mail import reply_address, strip_quotes, verify_token


class InboundMailTest(unittest.TestCase):
    def test_only_our_own_addresses_lead_to_a_ticket(self):
        self.assertEqual(verify_token(reply_address(42, b"s"), b"s"), 42)
        self.assertIsNone(verify_token("ticket+42.000000000000@support.acme.example", b"s"))

    def test_the_quoted_conversation_is_cut_off(self):
        self.assertEqual(strip_quotes("Thanks!\n\nOn Monday Ada wrote:\n> Hello"), "Thanks!")
