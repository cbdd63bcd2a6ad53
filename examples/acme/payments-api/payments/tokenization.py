"""Card tokens: stand-ins for card numbers, issued by the vault. Nothing here is about log-in."""

import re

_TOKEN = re.compile(r"^card_(?P<bin>\d{6})(?P<body>[0-9a-f]{16})(?P<check>\d)$")


class CardTokenError(ValueError):
    """The text is not a card token of our vault."""


def verify_token(token: str) -> str:
    """Check a card token's form and check digit and return the bank's number range (BIN).

    Finds typing and copying mistakes before they cost a gateway call; says nothing about funds.
    """
    match = _TOKEN.match(token)
    if match is None:
        raise CardTokenError("expected card_<6 digits><16 hex><check digit>")
    if luhn_digit(match["bin"]) != int(match["check"]):
        raise CardTokenError("check digit does not match")
    return match["bin"]


def luhn_digit(digits: str) -> int:
    """The check digit that makes a number pass the Luhn test."""
    total = 0
    for position, character in enumerate(reversed(digits)):
        value = int(character)
        if position % 2 == 0:
            value = value * 2 - 9 if value > 4 else value * 2
        total += value
    return -total % 10
