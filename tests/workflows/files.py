"""The workflow files of this project, read as GitHub reads them."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parent.parent.parent
ACTION = ROOT / "action" / "action.yml"
REUSABLE = sorted((ROOT / "workflows").glob("*.yml"))
TEMPLATES = sorted((ROOT / "workflows" / "templates").glob("*.yml"))
OWN = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WORKFLOWS = [*REUSABLE, *TEMPLATES, *OWN]

PROJECT = "aeterna/code-search"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def short_name(path: Path) -> str:
    """The path inside of this project."""
    return path.relative_to(ROOT).as_posix()


def workflow_text(path: Path, *, default_branch: str = "main") -> str:
    """The file; a template as GitHub writes it into a repository with this default branch."""
    return path.read_text(encoding="utf-8").replace("$default-branch", default_branch)


def load_workflow(path: Path) -> dict[str, Any]:
    """The file as YAML 1.2, where `on` is a word."""
    loaded: dict[str, Any] = YAML(typ="safe", pure=True).load(workflow_text(path))
    return loaded


def steps(node: object) -> Iterator[dict[str, Any]]:
    """Every mapping below a file's root that runs a command or uses something."""
    if isinstance(node, dict):
        if isinstance(node.get("uses") or node.get("run"), str):
            yield node
        node = list(node.values())
    if isinstance(node, list):
        for member in node:
            yield from steps(member)
