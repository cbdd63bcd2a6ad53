"""A repository at a git host by ssh, from the operator's command to an answer of the index."""

import json
from pathlib import Path

import pytest

from scripts.local_git import commit_all, git, new_repository
from scripts.local_service import running_service
from tests.central.onboarding.ssh_server import ssh_server
from tests.e2e.conftest import prepared_data_directory

pytestmark = pytest.mark.system("sshd", "ssh", "ssh-keygen")


def test_a_repository_at_an_ssh_address_is_indexed(tmp_path: Path) -> None:
    source = new_repository(tmp_path / "mirrors" / "shop")
    (source / "a.py").write_text("def price():\n    return 1\n")
    commit_all(source, "First")
    with ssh_server(tmp_path / "server") as server, prepared_data_directory() as directory:
        environment = {
            "AETERNA_GIT_HOSTS": f"localhost:{server.port}",
            "AETERNA_GIT_NETWORKS": "127.0.0.0/8,::1/128",
            "AETERNA_GIT_SSH_KEY_PATH": str(server.key),
            "AETERNA_GIT_KNOWN_HOSTS_PATH": str(server.known_hosts),
        }
        with running_service(directory, environment) as service:
            acme = service.organization("acme")
            done = service.manage("backfill", "acme", "--url", server.url(source))
            assert "1 indexed, 0 failed, 0 skipped" in done.stdout
            dumped = acme.dump("shop")
            assert git(source, "rev-parse", "HEAD:a.py") in dumped
            assert any("price" in json.dumps(line) for line in dumped.splitlines())
