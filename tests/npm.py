"""Programs from npm for the tests, by the hashes of a lock, below build/."""

import fcntl
import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

BUILD = Path(__file__).parent.parent / "build"


def installed_packages(source: Path) -> Path:
    """The directory with the packages of `source`'s package-lock.json.

    It is made when the lock is a new one.
    """
    lock = (source / "package-lock.json").read_bytes()
    directory = BUILD / f"npm-{hashlib.sha256(lock).hexdigest()[:16]}"
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "npm.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not directory.exists():
            _install(source, directory)
    return directory


def _install(source: Path, directory: Path) -> None:
    half_made = Path(tempfile.mkdtemp(dir=BUILD))
    for name in ("package.json", "package-lock.json"):
        shutil.copy(source / name, half_made)
    subprocess.run(
        ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"],
        cwd=half_made,
        check=True,
    )
    half_made.rename(directory)
