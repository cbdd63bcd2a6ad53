"""What users are told where another project has packages of the same names."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from aeterna_code_search.cli import distribution
from scripts.local_service import ROOT


def install(directory: Path, name: str, *packages: str) -> None:
    """What an installer leaves of another distribution."""
    metadata = directory / f"{name.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    files = [f"{package}/__init__.py" for package in packages]
    for file in files:
        (directory / file).parent.mkdir()
        (directory / file).write_text("raise SystemExit('not ours')\n")
    (metadata / "RECORD").write_text("".join(f"{file},,\n" for file in files))


def codesearch(path: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run it with this directory before all others on Python's path."""
    return subprocess.run(
        [Path(sys.executable).with_name("codesearch"), *arguments],
        env=os.environ | {"PYTHONPATH": str(path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_packages_are_those_that_the_wheel_installs() -> None:
    find = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    assert [f"{name}*" for name in distribution.PACKAGES] == find["find"]["include"]


def test_our_own_packages_are_no_reason_for_a_word() -> None:
    assert distribution.shadow_error() is None
    assert distribution.sharing_warning() is None


def test_another_project_with_files_in_our_packages_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "some-tools", "integrations", "unrelated")
    install(tmp_path, "other-indexer", "indexer")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    warning = distribution.sharing_warning()
    assert warning is not None
    assert "`indexer` (other-indexer), `integrations` (some-tools)." in warning
    assert "uv tool install aeterna-code-search" in warning


@pytest.mark.parametrize("package", distribution.PACKAGES[1:])  # the first has the check
def test_a_package_that_python_finds_elsewhere_ends_the_command(
    tmp_path: Path, package: str
) -> None:
    install(tmp_path, "other", package)
    done = codesearch(tmp_path, "--version")
    assert done.returncode == 2
    assert f"`{package}` in {tmp_path} is not that of aeterna-code-search" in done.stderr
    assert "Traceback" not in done.stderr
