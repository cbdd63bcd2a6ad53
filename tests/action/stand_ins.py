"""What is done in place of the actions that a composite action uses."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol


class StandIn(Protocol):
    """What is done in place of an action that a step uses."""

    def main(self, given: Mapping[str, str]) -> Mapping[str, str]:
        """Do the step; answers its outputs."""
        ...

    def post(self, conclusion: str) -> None:
        """What the action does when the job ends."""
        ...


class Cache:
    """In place of actions/cache: keeps directories by moving them, so that it costs nothing."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._used: list[tuple[Path, Path, bool]] = []

    def main(self, given: Mapping[str, str]) -> Mapping[str, str]:
        """Restore the path if there is one by that key."""
        path, kept = Path(given["path"]), self._directory / given["key"]
        hit = kept.exists()
        self._used.append((path, kept, hit))
        if hit:
            path.parent.mkdir(parents=True, exist_ok=True)
            kept.rename(path)
        return {"cache-hit": "true" if hit else ""}

    def post(self, conclusion: str) -> None:
        """Keep what was restored, and what a job made that succeeded."""
        for path, kept, hit in self._used:
            if path.exists() and (hit or conclusion == "success"):
                self._directory.mkdir(parents=True, exist_ok=True)
                path.rename(kept)
        self._used.clear()
