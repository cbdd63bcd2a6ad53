"""JSON bodies: what is not JSON in UTF-8, or too long, is refused before anything reads it."""

import io

import pytest
from rest_framework.exceptions import ParseError

from central.common.bodies import StrictJSONParser, json_object
from central.common.errors import InvalidError, TooLargeError

REFUSED = [
    b'{"a": "\\ud800"}',
    b'{"a": ["\\uDFFF x"]}',
    b'{"\\udc00": 1}',
    b'{"a": "\xff"}',
    b'{"a": NaN}',
    b'{"a": ' + b"[" * 100_000,
]


@pytest.mark.parametrize("body", REFUSED)
def test_what_cannot_be_stored_as_text_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidError):
        json_object(body)
    with pytest.raises(ParseError):
        StrictJSONParser().parse(io.BytesIO(body))


def test_escapes_of_real_characters_are_read() -> None:
    body = b'{"a": "\\ud83d\\ude00 \\u00e9 \\\\ud800"}'
    expected = {"a": "\N{GRINNING FACE} \u00e9 \\ud800"}
    assert json_object(body) == expected
    assert StrictJSONParser().parse(io.BytesIO(body)) == expected


def test_a_parsed_body_has_a_limit() -> None:
    with pytest.raises(TooLargeError):
        StrictJSONParser().parse(io.BytesIO(b" " * (2 * 1024 * 1024) + b"{}"))
