"""Addresses of the service's own pages."""

import pytest
from django.test import RequestFactory

from central.common.links import absolute_url


@pytest.mark.parametrize(
    ("public_url", "address"),
    [
        (None, "http://testserver/livez"),
        ("https://code.example.org/search", "https://code.example.org/search/livez"),
    ],
)
def test_a_page_is_where_clients_reach_the_service(settings, public_url, address):
    settings.PUBLIC_URL = public_url

    assert absolute_url(RequestFactory().get("/"), "/livez") == address
