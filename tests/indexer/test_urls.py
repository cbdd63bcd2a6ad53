"""Requests to this machine go past the environment's proxies; others do not."""

import pytest

from indexer.urls import needs_certificates, without_proxy


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("http://127.0.0.1:8000", "all://127.0.0.1"),
        ("http://127.8.8.8", "all://127.8.8.8"),
        ("https://LocalHost:8000/code", "all://localhost"),
        ("http://[::1]:8000", "all://[::1]"),
    ],
)
def test_a_loopback_address_has_no_proxy(url: str, pattern: str) -> None:
    assert without_proxy(url) == {pattern: None}


@pytest.mark.parametrize(
    "url", ["https://code.example", "http://10.0.0.1", "http://localhost.example", "http://[::2]"]
)
def test_any_other_address_has_the_environments(url: str) -> None:
    assert without_proxy(url) == {}


@pytest.mark.parametrize(
    ("url", "needed"),
    [
        ("http://127.0.0.1:8000", False),
        ("https://127.0.0.1:8000", True),
        ("http://10.0.0.1", True),  # a proxy of the environment may have a certificate
        ("https://code.example", True),
    ],
)
def test_certificates_are_loaded_where_there_may_be_one(url: str, *, needed: bool) -> None:
    assert needs_certificates(url) is needed
