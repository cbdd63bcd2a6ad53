"""By which names and addresses the running service is asked, and what it logs of others."""

import json
import uuid
from collections.abc import Iterator

import httpx
import pytest

from scripts.local_service import Service, running_service
from tests.e2e.conftest import prepared_data_directory


@pytest.fixture(scope="module")
def everywhere() -> Iterator[Service]:
    """A service at all addresses, which a cluster knows by an IPv6 address."""
    environment = {"AETERNA_BIND": "[::]:0", "AETERNA_ALLOWED_HOSTS": "fd00::5"}
    with (
        prepared_data_directory() as directory,
        running_service(directory, environment) as service,
    ):
        yield service


@pytest.mark.parametrize("address", ["127.0.0.1", "[::1]"])
@pytest.mark.parametrize("host", ["[fd00::5]", "[::1]", "127.0.0.1", "localhost"])
def test_probes_are_answered_over_both_protocols_whatever_own_address_they_name(
    everywhere: Service, address: str, host: str
) -> None:
    port = httpx.URL(everywhere.url).port
    answer = httpx.get(f"http://{address}:{port}/livez", headers={"Host": f"{host}:{port}"})
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("path", ["/livez", "/", "/api/v1/index/status"])
def test_an_unknown_host_is_one_line_of_warning(everywhere: Service, path: str) -> None:
    request_id = uuid.uuid4().hex
    headers = {"Host": "stranger.example", "X-Request-Id": request_id}

    answer = httpx.get(f"{everywhere.url}{path}", headers=headers)

    assert answer.status_code == 400
    of_it = [line for line in everywhere.log.read_text().splitlines() if request_id in line]
    said = [line for line in map(json.loads, of_it) if line["event"] != "request"]
    assert [line["level"] for line in said] == ["warning"]
    assert "stranger.example" in said[0]["event"]
    assert " AETERNA_ALLOWED_HOSTS" in said[0]["event"]
    assert "exception" not in said[0]
