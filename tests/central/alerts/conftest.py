"""A receiver that the operator allows, and the organisation's rows."""

from collections.abc import Iterator
from ipaddress import ip_network

import pytest
from pytest_django import Settings

from tests.central.alerts.receiver import Receiver, receiving


@pytest.fixture(autouse=True)
def loopback(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator allows this machine; no proxy is used."""
    settings.ALERT_NETWORKS = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as running:
        yield running
