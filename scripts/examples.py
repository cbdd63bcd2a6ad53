"""The repositories of examples/acme as real clones, and their index."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from scripts.local_git import new_repository
from scripts.local_service import ROOT, Organization


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
