"""An upgrade with a migration while a client asks all the time."""

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from scripts.local_service import Organization
from tests.deploy.engine.documents import commands
from tests.deploy.engine.stack import Stack
from tests.deploy.engine.test_stack import shop

NEXT = """\
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tenancy", "{last}")]
    operations = [
        migrations.RunSQL(
            "ALTER TABLE tenancy_organization ADD IF NOT EXISTS stand_in int NOT NULL DEFAULT 0"
        )
    ]
"""


@dataclass
class Client:
    """It asks again and again, as a proxy does: of its addresses the first that answers."""

    organization: Organization
    addresses: list[str]
    answers: int = 0
    failures: list[tuple[float, str]] = field(default_factory=list)

    def ask(self) -> None:
        """One question."""
        tried = ""
        for address in self.addresses:
            try:
                answer = httpx.get(
                    f"{address}/api/v1/trace/callers",
                    params={"org_id": self.organization.slug, "symbol": "retry_with_backoff"},
                    headers={"Authorization": f"Bearer {self.organization.token}"},
                    timeout=30,
                )
                assert answer.status_code == httpx.codes.OK, answer.text
                assert len(answer.json()["callers"]) == 1, answer.text
            except (httpx.TransportError, AssertionError) as exc:
                tried += repr(exc)
            else:
                self.answers += 1
                return
        self.failures.append((time.monotonic(), tried))

    def gap_seconds(self) -> float:
        """From the first failure to the last."""
        times = [when for when, _ in self.failures]
        return max(times) - min(times) if times else 0.0


@contextmanager
def asking(client: Client) -> Iterator[None]:
    """A client that asks until the block ends."""
    ended = threading.Event()

    def ask() -> None:
        while not ended.wait(0.05):
            client.ask()

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@pytest.fixture
def indexed(stack: Stack, tmp_path: Path) -> Organization:
    organization = stack.organization(f"upgrade-{secrets.token_hex(4)}")  # also of a rerun
    organization.index(shop(tmp_path), "shop")
    return organization


def next_version(stack: Stack) -> None:
    """The same with one migration more."""
    directory = stack.directory / "central" / "tenancy" / "migrations"
    last = max(path.stem for path in directory.glob("0*.py"))
    (directory / f"{int(last[:4]) + 1:04}_stand_in.py").write_text(NEXT.format(last=last))


def test_the_old_version_answers_until_it_is_replaced_and_can_come_back(
    stack: Stack, indexed: Organization, figures: list[str]
) -> None:
    next_version(stack)
    *before, web, others = commands("upgrade.md", "## With Compose")
    client = Client(indexed, [stack.url])

    with asking(client):
        for line in before:
            stack.shell(line)
        assert client.answers
        assert client.failures == []
        stack.shell(web)
        stack.shell(others)
    figures.append(f"Upgrade of one web process: {client.gap_seconds():.1f} s without an answer")
    client.failures.clear()
    client.ask()
    assert client.failures == []
    assert "stand_in" in stack.manage("showmigrations", "tenancy").stdout

    for line in commands("upgrade.md", "### Back to the previous version"):
        stack.shell(line)
    client.ask()
    assert client.failures == []
    stack.shell(web)
    stack.shell(others)


def test_with_two_addresses_an_upgrade_has_no_gap(stack: Stack, indexed: Organization) -> None:
    env = stack.directory / ".env"
    settings = env.read_text()
    host, port = stack.url.removeprefix("http://").split(":")
    second = int(port) + 1
    env.write_text(settings.replace(f"{host}:{port}", f"{host}:{port}-{second}"))
    stack.compose("up", "--detach", "--wait")
    try:
        client = Client(indexed, [stack.url, f"http://{host}:{second}"])
        with asking(client):
            stack.shell("\n".join(commands("upgrade.md", "### Without a gap")))
        assert client.answers
        assert client.failures == []
        assert len(stack.compose("ps", "--quiet", "web").stdout.split()) == 1
    finally:
        env.write_text(settings)
        stack.compose("up", "--detach", "--wait")
