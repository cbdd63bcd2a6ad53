"""JSON bodies: what is not JSON in UTF-8, or too long, is refused before anything reads it."""

import io
import json
import tracemalloc

import pytest
from rest_framework.exceptions import ParseError

from central.errors import InvalidError, TooLargeError
from central.http.bodies import StrictJSONParser, json_object
from central.ingest.services.known_embeddings import LOOKUP_DIGESTS

REFUSED = [
    b'{"a": "\\ud800"}',
    b'{"a": ["\\uDFFF x"]}',
    b'{"\\udc00": 1}',
    b'{"a": "\xff"}',
    b'{"a": NaN}',
    b'{"a": 1e999}',
    b'{"a": [-1e999]}',
    b'{"a": ' + b"1" * 5_000 + b"}",
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


@pytest.mark.parametrize("value", [b"{}", b"[]", b'{"a":{}}', b"0"])
def test_a_body_of_many_values_is_refused_before_it_is_parsed(value: bytes) -> None:
    body = b'{"a":[' + b",".join([value] * (2_000_000 // (len(value) + 1))) + b"]}"
    tracemalloc.start()
    with pytest.raises(TooLargeError, match="200000 values"):
        StrictJSONParser().parse(io.BytesIO(body))
    with pytest.raises(TooLargeError, match="200000 values"):
        json_object(body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6_000_000  # of 2 MB read in parts; 40 MB were they parsed


def test_the_longest_list_that_the_contract_allows_is_read() -> None:
    digests = ["0" * 64] * LOOKUP_DIGESTS
    assert json_object(json.dumps({"digests": digests}).encode()) == {"digests": digests}
