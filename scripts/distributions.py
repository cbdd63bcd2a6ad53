"""Build the wheel and the sdist: `python -m scripts.distributions DIRECTORY`.

They are made of the tracked files alone, and the same files of the same commit give the same bytes.
"""

import gzip
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = Path(sys.executable).with_name("uv")


def build(directory: Path) -> list[Path]:
    """Build both into `directory`, which loses what it had; return the wheel and the sdist."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    moment = int(os.environ.get("SOURCE_DATE_EPOCH") or _git("log", "-1", "--format=%ct"))
    with tempfile.TemporaryDirectory() as temporary:
        source = Path(temporary, "source")
        for name in _git("ls-files", "-z").split("\0"):
            if name and (ROOT / name).is_file():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, source / name)
                (source / name).chmod(0o755 if os.access(ROOT / name, os.X_OK) else 0o644)
        _run_build(source, "--sdist", directory, moment)
        [sdist] = directory.glob("*.tar.gz")
        _normalize(sdist, moment)
        _run_build(sdist, "--wheel", directory, moment)  # so what an sdist lacks, a wheel lacks too
    (directory / ".gitignore").unlink(missing_ok=True)
    [wheel] = directory.glob("*.whl")
    return [wheel, sdist]


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _run_build(source: Path, kind: str, directory: Path, moment: int) -> None:
    """The build's own packages are those of the lock, which this environment has."""
    subprocess.run(
        [UV, "build", "--quiet", "--no-build-isolation", "--python", sys.executable,
         kind, "--out-dir", directory, source],
        check=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(moment)},
    )  # fmt: skip


def _normalize(sdist: Path, moment: int) -> None:
    """Sort the members and take times and owners out: setuptools writes those of the build."""

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mtime = moment
        member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        return member

    partial = sdist.with_suffix(".partial")
    with (
        tarfile.open(sdist) as old,
        partial.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=moment) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda one: one.name):
            content = old.extractfile(member) if member.isfile() else None
            member.pax_headers = {}
            new.addfile(plain(member), content)
    partial.replace(sdist)


if __name__ == "__main__":
    for built in build(ROOT / sys.argv[1]):
        print(f"{built.relative_to(ROOT)}  {built.stat().st_size / 1e6:.1f} MB")
