"""The start of the tests' own engine: what is not ready in time has failed, and is gone."""

from pathlib import Path

import pytest

from scripts.local_service import ServiceError
from tests.deploy.engine import docker_engine


@pytest.mark.parametrize(
    ("line", "seconds", "message"),
    [
        ("exec tail -f /dev/null", 0.2, "The engine is not ready after 0.2 s"),
        ("echo broken >$2/log", 60, "The engine has ended:\nbroken"),
    ],
)
def test_an_engine_that_is_not_ready_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, seconds: float, message: str
) -> None:
    script = tmp_path / "engine.sh"
    script.write_text(f"#!/bin/sh\n[ $1 = prepare ] && exit\n{line}\n")
    script.chmod(0o755)
    monkeypatch.setenv("AETERNA_ENGINE_CACHE", str(tmp_path))
    monkeypatch.setattr(docker_engine, "SCRIPT", script)
    monkeypatch.setattr(docker_engine, "START_SECONDS", seconds)

    with pytest.raises(ServiceError, match=message), docker_engine.running_engine():
        pytest.fail("it is not ready")
