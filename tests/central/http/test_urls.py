"""Addresses of the service's own pages."""

import pytest
from django.test import RequestFactory

from central.http.urls import absolute_url, service_url
from central.runtime.data_directory import lock_data_directory, write_server_record


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


def test_the_service_is_where_its_settings_say(settings):
    settings.PUBLIC_URL = "https://code.example.org/"

    assert service_url() == "https://code.example.org"


def test_without_a_word_the_service_is_where_its_server_announced_itself(settings, tmp_path):
    settings.PUBLIC_URL = None
    settings.DATA_DIR = tmp_path
    assert service_url() == ""

    with lock_data_directory(tmp_path):
        write_server_record(tmp_path, "http://127.0.0.1:8123/")
        assert service_url() == "http://127.0.0.1:8123"
    assert service_url() == ""
