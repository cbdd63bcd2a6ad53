"""What the checkouts of this machine are called in the embedded service.

A second checkout of the same name would overwrite the first one's index, so it gets a name of its
own. `projects.json` maps names to directories.
"""

import fcntl
import json
from itertools import count
from pathlib import Path


def local_project(data_dir: Path, root: Path, wanted: str) -> str:
    """The project of the checkout at `root`: `wanted`, or that with a number; always the same."""
    data_dir.mkdir(parents=True, exist_ok=True)
    with (data_dir / "projects.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        path = data_dir / "projects.json"
        roots: dict[str, str] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        name = _name(roots, str(root.resolve()), wanted)
        if roots.get(name) != str(root.resolve()):
            roots[name] = str(root.resolve())
            partial = data_dir / "projects.json.partial"
            partial.write_text(json.dumps(roots, indent=1, sort_keys=True), encoding="utf-8")
            partial.replace(path)
    return name


def _name(roots: dict[str, str], root: str, wanted: str) -> str:
    """Its own before one that is free; a directory that is gone needs none any more."""
    names = [wanted]
    for number in count(2):
        if names[-1] not in roots:
            break
        names.append(f"{wanted}-{number}")
    own = next((name for name in names if roots.get(name) == root), None)
    return own or next(
        name for name in names if name not in roots or not Path(roots[name]).is_dir()
    )
