"""The two images: how large they are, what is not in them, and that what is in them works."""

from collections.abc import Iterator

import pytest

from scripts.local_git import git
from tests.deploy.engine.stack import BACKFILL_IMAGE, IMAGE, Stack
from tests.deploy.engine.test_stack import shop

SERVICE_BYTES = 350_000_000
BACKFILL_BYTES = 430_000_000
# Programs and packages that no process runs.
ABSENT = ("apt-get", "dpkg", "perl", "bash", "pip", "gpgv", "mount", "useradd", "openssl", "strip")
OF_CLONES = ("git", "ssh")
# Each program and library, with what the loader does not find for it.
LINKED = """
import glob, os, pathlib, subprocess, sys
(loader,) = glob.glob("/lib64/ld-linux-*.so.*") or glob.glob("/lib/ld-linux-*.so.*")
below = [each for root in ("/usr", "/opt") for each in pathlib.Path(root).rglob("*")]
files = {os.path.realpath(each) for each in below if each.is_file()
         and (".so" in each.name or os.access(each, os.X_OK))}
files = sorted(each for each in files if open(each, "rb").read(4) == b"\\x7fELF")
for each in files:
    said = subprocess.run([loader, "--list", each], capture_output=True, text=True).stdout
    if "not found" in said:
        print(each, said)
print(len(files), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def both(stack: Stack, figures: list[str]) -> Stack:
    """The stack, with the image of backfill built."""
    stack.compose("--profile", "backfill", "build", "backfill")
    figures.append(f"Image of backfill: {stack.size(BACKFILL_IMAGE) / 1e6:.0f} MB")
    return stack


def in_image(stack: Stack, image: str, *command: str) -> str:
    words = ("docker", "run", "--rm", "--network", "none", "--entrypoint", command[0], image)
    return stack.engine.run(*words, *command[1:]).stdout


def test_the_images_are_no_larger_than_decided(both: Stack) -> None:
    assert both.size(IMAGE) <= SERVICE_BYTES
    assert both.size(BACKFILL_IMAGE) <= BACKFILL_BYTES


@pytest.mark.parametrize("image", [IMAGE, BACKFILL_IMAGE])
def test_programs_that_no_process_runs_are_absent(both: Stack, image: str) -> None:
    look = "PATH=$PATH:/usr/sbin; for each; do command -v $each || true; done"
    words = ("sh", "python", *OF_CLONES, *ABSENT)
    found = in_image(both, image, "sh", "-c", look, "sh", *words).split()
    names = {each.rpartition("/")[2] for each in found}
    assert names == {"sh", "python", *(OF_CLONES if image == BACKFILL_IMAGE else ())}


@pytest.mark.parametrize("image", [IMAGE, BACKFILL_IMAGE])
def test_every_program_and_library_finds_the_libraries_that_it_needs(
    both: Stack, image: str
) -> None:
    assert in_image(both, image, "python", "-c", LINKED) == ""


@pytest.mark.parametrize("image", [IMAGE, BACKFILL_IMAGE])
def test_scanners_find_the_packages_that_are_there(both: Stack, image: str) -> None:
    status = in_image(both, image, "cat", "/var/lib/dpkg/status")
    names = {line.split()[1] for line in status.splitlines() if line.startswith("Package: ")}
    assert {"libc6", "libssl3", "tzdata"} <= names
    assert not names & {"apt", "dpkg", "perl-base", "bash"}
    assert ("git" in names) == (image == BACKFILL_IMAGE)


@pytest.fixture
def backfill(both: Stack) -> Iterator[Stack]:
    """The stack with a backfill; the other tests do not know of it."""
    profile = ("--profile", "backfill")
    both.compose(*profile, "up", "--detach", "--wait", "--no-deps", "backfill")
    try:
        yield both
    finally:
        both.compose(*profile, "rm", "--stop", "--force", "backfill")


def test_a_backfill_clones_and_indexes_and_the_service_leaves_it_to_it(backfill: Stack) -> None:
    stack, acme = backfill, backfill.organization("cloned")
    repository = shop(stack.directory / "build")
    git(repository, "clone", "--quiet", "--bare", ".", str(stack.directory / "mirrors/shop.git"))
    stack.shell("chown -R 10001 mirrors/shop.git")
    command = ("backfill", "cloned", "--url", "file:///mirrors/shop.git")

    assert "--detach" in stack.manage(*command, check=False).stderr
    stack.manage(*command, "--detach")
    inside = ("exec", "-T", "backfill", "entrypoint.sh", "manage")
    assert "shop done" in stack.compose(*inside, *command).stdout  # once it is, whoever did it

    assert acme.search("retry with backoff")["results"][0]["file"] == "shop.py"
    refused = stack.engine.run("docker", "run", "--rm", IMAGE, "backfill", check=False)
    assert BACKFILL_IMAGE.partition(":")[0] in refused.stderr
