"""What an operator does, by the commands of the documents."""

from pathlib import Path

import pytest

from scripts.local_service import Organization
from tests.deploy.engine.documents import commands
from tests.deploy.engine.stack import Stack
from tests.deploy.engine.test_stack import shop


@pytest.fixture
def indexed(stack: Stack, tmp_path: Path, request: pytest.FixtureRequest) -> Organization:
    """An organisation of the test's own with a repository."""
    name = request.node.name.removeprefix("test_").replace("_", "-")[:30].strip("-")
    organization = stack.organization(name)
    organization.index(shop(tmp_path), "shop")
    return organization


def seen(stack: Stack, organization: Organization) -> tuple[str, list[tuple[str, float]]]:
    """The whole index, and what a search finds."""
    results = organization.search("retry with backoff")["results"]
    found = [(each["file"], each["start_line"]) for each in results]
    assert found
    return stack.dump(organization.slug, "shop"), found


def test_down_and_up_keep_everything(stack: Stack, indexed: Organization) -> None:
    before = seen(stack, indexed)
    stack.compose("down")
    stack.compose("up", "--detach", "--wait")
    assert seen(stack, indexed) == before


def test_a_backup_is_restored_after_all_was_lost(stack: Stack, indexed: Organization) -> None:
    before = seen(stack, indexed)
    for line in commands("backup.md", "### Back up in containers"):
        stack.shell(line)

    stack.compose("down", "--volumes")
    for line in commands("backup.md", "### Restore in containers"):
        stack.shell(line)

    assert seen(stack, indexed) == before


def test_a_changed_password_of_the_database_stays_changed(
    stack: Stack, indexed: Organization
) -> None:
    before = seen(stack, indexed)
    old = (stack.directory / "secrets" / "database_url").read_text()

    for line in commands("change-secrets.md", "## The password of the database, with Compose"):
        stack.shell(line)

    assert (stack.directory / "secrets" / "database_url").read_text() != old
    assert seen(stack, indexed) == before
    stack.shell("deploy/make-secrets")
    stack.compose("up", "--detach", "--wait", "--force-recreate")
    assert seen(stack, indexed) == before
