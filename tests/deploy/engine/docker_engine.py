"""A Docker Engine of the tests' own (engine.sh): when it is possible, and how to use it."""

import os
import select
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.local_service import ROOT, ServiceError
from tests.deploy import composition, dockerfile

SCRIPT = Path(__file__).with_name("engine.sh")
PREPARE_SECONDS = 1800
START_SECONDS = 900  # until no other engine runs and, the first time, the images are made
END_SECONDS = 180
COMMAND_SECONDS = 1200  # of one docker command; a build is the longest


def cache() -> Path:
    """Where the engine, its images and its build cache are kept between runs."""
    return Path(os.environ.get("AETERNA_ENGINE_CACHE") or ROOT / "build" / "engine").resolve()


def is_prepared() -> bool:
    """Whether the cache has an engine."""
    return (cache() / "root").is_dir()


def obstacle() -> str:
    """Why this machine cannot run an engine; "" if it can."""
    if os.name != "posix" or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "it needs root"
    absent = [tool for tool in ("unshare", "nsenter", "flock") if not shutil.which(tool)]
    if not is_prepared():
        absent += [tool for tool in ("debootstrap", "apt-get") if not shutil.which(tool)]
    if absent:
        return f"it needs {', '.join(absent)}"
    mounts = "mount -t tmpfs none /mnt && mount --bind /mnt /mnt"
    trial = ["unshare", "--mount", "--pid", "--fork", "sh", "-c", mounts]
    if subprocess.run(trial, capture_output=True, check=False).returncode:
        return "mounts are not allowed"
    if not os.access("/sys/fs/cgroup", os.W_OK):
        return "control groups are read-only"
    return ""


@dataclass(frozen=True)
class Engine:
    """A running engine. Commands are run in its namespaces, as on a machine that has Docker."""

    directory: Path
    pid: int

    def run(
        self,
        *command: str,
        cwd: Path | None = None,
        variables: Mapping[str, str] | None = None,
        entered: bytes | None = None,
        check: bool = True,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command, such as `docker compose up`, in a directory below the engine's own."""
        done = subprocess.run(
            self.command(*command, cwd=cwd, variables=variables),
            input=entered,
            stdin=None if entered is not None else subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=COMMAND_SECONDS,
        )
        output, errors = (each.decode(errors="replace") for each in (done.stdout, done.stderr))
        if check and done.returncode:
            raise ServiceError(f"{command} ended with {done.returncode}:\n{output}{errors}"[-6000:])
        return subprocess.CompletedProcess(command, done.returncode, output, errors)

    def command(
        self, *command: str, cwd: Path | None = None, variables: Mapping[str, str] | None = None
    ) -> list[str]:
        """What runs `command` there."""
        given = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", **(variables or {})}
        enter = ["nsenter", "--target", str(self.pid), "--mount", "--pid", "env", "-i"]
        enter += [f"{name}={value}" for name, value in given.items()]
        inside = 'cd "$1" && shift && exec "$@"'
        return [*enter, "sh", "-c", inside, "sh", str(cwd or self.directory), *command]


@contextmanager
def running_engine() -> Iterator[Engine]:
    """An engine, prepared if it was not; all of it ends with this process, killed or not."""
    directory = cache()
    prepared = subprocess.run(
        [SCRIPT, "prepare", directory],
        capture_output=True,
        text=True,
        check=False,
        timeout=PREPARE_SECONDS,
    )
    if prepared.returncode:
        raise ServiceError(f"The engine cannot be prepared:\n{prepared.stderr}")
    process = subprocess.Popen(
        [SCRIPT, "run", directory],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **_image_names()},
        start_new_session=True,  # Ctrl-C is for pytest, which then closes the pipe
    )
    assert process.stdin
    assert process.stdout
    try:
        yield Engine(directory, _wait_until_ready(process, directory / "log"))
    finally:
        process.stdin.close()
        try:
            process.wait(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()  # and with it all that is in its namespaces
            process.wait()
            raise
        finally:
            process.stdout.close()


def _wait_until_ready(process: subprocess.Popen[bytes], log: Path) -> int:
    """The process id of the engine. Raises ServiceError if it ends or takes too long."""
    assert process.stdout
    says_something, _, _ = select.select([process.stdout], [], [], START_SECONDS)
    line = process.stdout.readline().decode() if says_something else ""
    word, _, pid = line.partition(" ")
    if word != "ready":
        process.kill()  # at its end it would not look at its input
        written = log.read_text()[-3000:] if log.exists() else ""
        why = "has ended" if says_something else f"is not ready after {START_SECONDS} s"
        raise ServiceError(f"The engine {why}:\n{written}")
    return int(pid)


def _image_names() -> dict[str, str]:
    """Under which names the build and the Compose file look for the stand-ins."""
    services = composition.load()["services"]
    return {
        "PYTHON_IMAGE": dockerfile.argument("PYTHON_IMAGE"),
        "POSTGRES_IMAGE": services["postgres"]["image"],
        "REDIS_IMAGE": services["redis"]["image"],
    }
