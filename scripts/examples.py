"""The repositories of examples/acme as real clones, their index, and what the company knows."""

import time
import tomllib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from scripts.local_git import new_repository
from scripts.local_service import ROOT, Organization, ServiceError

KNOWLEDGE = ROOT / "examples" / "knowledge.toml"
LINK_SECONDS = 60


def example_repositories(directory: Path) -> dict[str, Path]:
    """A git repository in `directory` for each of the examples, by name."""
    return {
        source.name: new_repository(directory / source.name, source)
        for source in sorted((ROOT / "examples" / "acme").iterdir())
        if source.is_dir()
    }


def index_all(acme: Organization, repositories: Mapping[str, Path]) -> dict[str, dict[str, Any]]:
    """Index repositories two at a time, as jobs of different repositories do; reports by name."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        reports = pool.map(acme.index, repositories.values(), repositories)
        return dict(zip(repositories, reports, strict=True))


def record_ids() -> set[str]:
    """The decision records of the examples, as indexing must name them."""
    records = (ROOT / "examples" / "acme").glob("*/docs/*/[0-9]*.md")
    return {f"{path.parents[2].name}/ADR-{path.name[:4]}" for path in records}


def read_knowledge() -> dict[str, list[dict[str, Any]]]:
    """The tables `node`, `link` and `violation` of examples/knowledge.toml."""
    return tomllib.loads(KNOWLEDGE.read_text(encoding="utf-8"))


def load_knowledge(acme: Organization) -> None:
    """Store the policies, memories and links of examples/knowledge.toml.

    Every example must have been indexed. The links need the decision records, which are read in
    the background: this waits for them. Raises ServiceError.
    """
    wait_until_linked(acme)
    knowledge = read_knowledge()
    for node in knowledge["node"]:
        acme.post("graph/nodes", **node)
    for link in knowledge["link"]:
        acme.post("graph/links", **link)


def wait_until_linked(acme: Organization, *, seconds: float = LINK_SECONDS) -> None:
    """Wait until every run and document is linked. Raises ServiceError."""
    deadline = time.monotonic() + seconds
    due = acme.post("graph/refresh")
    while any(due.values()):
        if time.monotonic() > deadline:
            raise ServiceError(f"the graph was not linked within {seconds:g} s: {due}")
        time.sleep(0.1)
        due = acme.post("graph/refresh")
