"""The receiver of alerts, over real HTTP."""

from tests.central.alerts.conftest import loopback, receiver

__all__ = ["loopback", "receiver"]
