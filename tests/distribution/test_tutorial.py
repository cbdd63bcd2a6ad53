"""What docs/tutorial/on-your-machine.md says to type runs, and prints what is shown there."""

import re
import subprocess
from pathlib import Path

from central.runtime.data_directory import running_server
from scripts.distributions import UV
from scripts.local_service import ROOT, temporary_workspace
from tests.distribution.conftest import Installation, uv
from tests.e2e.conftest import has_postgres
from tests.waiting import wait_until

TUTORIAL = (ROOT / "docs/tutorial/on-your-machine.md").read_text(encoding="utf-8")
# What the tutorial clones is this checkout.
CONFIGURATION = f"""\
[user]
name = Ada
email = ada@example.org
[url "{ROOT.as_uri()}"]
insteadOf = https://github.com/aeterna/code-search
"""


def blocks(language: str) -> str:
    return "".join(re.findall(rf"^```{language}\n(.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL))


def variables(installation: Installation, home: Path) -> dict[str, str]:
    """A home directory without anything; that uv has installed the package already saves time."""
    (home / "uv").symlink_to(UV)
    cache = uv("cache", "dir").stdout.strip()
    environment = installation.variables(home, UV_CACHE_DIR=cache, **installation.settings())
    del environment["AETERNA_IDLE_MINUTES"]  # the service stays, as with a user
    return {**environment, "PATH": f"{environment['PATH']}:{home}"}


def run(script: str, home: Path, environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-ex", "-c", script],
        cwd=home,
        check=False,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_the_tutorial(installation: Installation) -> None:
    with temporary_workspace("aeterna-tutorial-") as home:
        (home / ".gitconfig").write_text(CONFIGURATION)
        data = home / ".local/share/aeterna-code-search"
        environment = variables(installation, home)
        try:
            done = run(blocks("sh"), home, environment)
            left = running_server(data)
        finally:  # where it broke off, its service runs
            run("codesearch stop", home, environment)
        assert done.returncode == 0, done.stderr
        assert left is None
        assert done.stderr.count("Starting the service on this machine") == 1
        wait_until(lambda: not has_postgres(data), "PostgreSQL still runs")
    shown = blocks("text").splitlines()
    assert [line for line in shown if line.strip() not in done.stdout] == []
    assert len(shown) == 10
