"""The project names of this machine's checkouts in the embedded service.

A second checkout with the same name would overwrite the first one's index, so it gets a number.
`projects.json` maps names to directories.
"""

import fcntl
import json
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path

from central.runtime.data_directory import private_directory, private_opener
from indexer.config.project_file import PROJECT_FILE
from indexer.output.terminal import escape_line


def local_project(
    data_dir: Path, root: Path, preferred: str, *, notify: Callable[[str], None]
) -> str:
    """Claim a project name for the checkout at `root`: `preferred`, or that with a number.

    A number is reported once, when the name is claimed.
    """
    private_directory(data_dir)
    with open(data_dir / "projects.lock", "w", opener=private_opener) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        roots = _roots(data_dir)
        name = _name(roots, str(root.resolve()), preferred)
        if roots.get(name) != str(root.resolve()):
            if name != preferred:
                notify(
                    f"This checkout is indexed as {name}: {preferred} is that of "
                    f"{escape_line(roots[preferred])}. To name it otherwise, set project in "
                    f"[server] of {PROJECT_FILE}."
                )
            roots[name] = str(root.resolve())
            partial = data_dir / "projects.json.partial"
            with open(partial, "w", encoding="utf-8", opener=private_opener) as file:
                json.dump(roots, file, indent=1, sort_keys=True)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(data_dir / "projects.json")
    return name


def project_of(data_dir: Path, root: Path, preferred: str) -> str:
    """Return the name that `local_project` would claim, without claiming it."""
    return _name(_roots(data_dir), str(root.resolve()), preferred)


def local_projects(data_dir: Path) -> list[str]:
    """Return the claimed names."""
    return list(_roots(data_dir))


def _roots(data_dir: Path) -> dict[str, str]:
    """Read names and directories; {} if the file is damaged: checkouts then claim them again."""
    try:
        roots = json.loads((data_dir / "projects.json").read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    if not isinstance(roots, dict):
        return {}
    return {name: root for name, root in roots.items() if isinstance(root, str)}


def _name(roots: dict[str, str], root: str, preferred: str) -> str:
    """Return the name of `root`, else a free one; names of deleted directories are free."""
    names = [preferred]
    for number in count(2):
        if names[-1] not in roots:
            break
        names.append(f"{preferred}-{number}")
    own = next((name for name in names if roots.get(name) == root), None)
    return own or next(
        name for name in names if name not in roots or not Path(roots[name]).is_dir()
    )
