"""What the wheel and the sdist hold, and what they say of themselves."""

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from scripts.distributions import build
from scripts.local_service import ROOT

PACKAGES = ("aeterna_code_search", "central", "indexer", "integrations")
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
# Where others name this version: an image, a chart, a tag of the action.
NAMING = ("README.md", "action", "docs", "deploy", "workflows", ".github", "docker-compose.yml")
NAMED = re.compile(
    r"aeterna/code-search(?:/[\w./-]+)?@v(\d[\w.]*)|aeterna-code-search:(\d[\w.]*\w)"
    r"|^(?:ARG VERSION=|version: |appVersion: )(\d+\.\d+\.\d+)$",
    re.MULTILINE,
)


def tracked(*names: str) -> list[str]:
    command = ["git", "ls-files", "-z", "--", *names]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def metadata(distributions: list[Path]) -> Message:
    with zipfile.ZipFile(distributions[0]) as wheel:
        [name] = [one for one in wheel.namelist() if one.endswith(".dist-info/METADATA")]
        return Parser().parsestr(wheel.read(name).decode())


def test_the_wheel_has_every_file_of_the_packages_and_no_other(distributions: list[Path]) -> None:
    with zipfile.ZipFile(distributions[0]) as wheel:
        held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    left_out = {name for name in tracked(*PACKAGES) if name.endswith((".md", ".proto", ".pyi"))}
    assert held | left_out == set(tracked(*PACKAGES))
    assert "indexer/embedding/model/model.safetensors" in held
    assert {f"{package}/py.typed" for package in PACKAGES[:-1]} <= held


def test_the_sdist_has_what_builds_the_wheel(distributions: list[Path]) -> None:
    with tarfile.open(distributions[1]) as sdist:
        held = {name.partition("/")[2] for name in sdist.getnames()}
    needed = {"pyproject.toml", "PACKAGE.md", "LICENSE", "CHANGELOG.md", "manage.py"}
    assert needed | set(tracked("requirements")) <= held
    assert not any(name.startswith(("tests/", "docs/", "benchmarks/")) for name in held)


def test_another_build_has_the_same_bytes(distributions: list[Path], tmp_path: Path) -> None:
    again = build(tmp_path / "again")
    assert [one.name for one in again] == [one.name for one in distributions]
    assert [one.read_bytes() for one in again] == [one.read_bytes() for one in distributions]


def test_a_package_index_accepts_both_and_shows_the_description(
    distributions: list[Path],
) -> None:
    twine = Path(sys.executable).with_name("twine")
    done = subprocess.run(
        [twine, "check", "--strict", *distributions], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("PASSED") == 2


def test_links_of_the_description_are_absolute_and_lead_to_files_of_the_repository(
    metadata: Message,
) -> None:
    links = re.findall(r"\]\(([^)]+)\)", str(metadata.get_payload()))
    here = "https://github.com/aeterna/code-search/blob/main/"
    assert links
    assert [link for link in links if not link.startswith(here)] == []
    assert [link for link in links if not (ROOT / link.removeprefix(here)).is_file()] == []


def test_the_metadata_names_the_licence_the_extras_and_the_addresses(metadata: Message) -> None:
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Version"] == VERSION
    extras = {"chunkhound", "codequery", "langchain", "server"}
    assert set(metadata.get_all("Provides-Extra", [])) == extras
    labels = {one.partition(",")[0] for one in metadata.get_all("Project-URL", [])}
    assert labels == {"Homepage", "Documentation", "Changelog", "Issues"}


def test_every_file_names_the_version_of_the_project() -> None:
    named = {
        (name, next(filter(None, match)))
        for name in tracked(*NAMING)
        for match in NAMED.findall((ROOT / name).read_text(encoding="utf-8", errors="replace"))
    }
    assert len(named) > 5
    assert {version for _, version in named} == {VERSION}, sorted(named)
