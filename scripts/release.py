"""What the release workflow does with a tag, by any Python 3.11 without packages.

`python -m scripts.release notes v1.2.3` checks the tag and prints its part of the changelog.
`python -m scripts.release publish` removes what documents say only until the first release.
`python -m scripts.release move v1.2.3` moves the tag v1 to it at `origin`, if no 1.x is newer.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

BRANCH = "refs/remotes/origin/main"
_UNTIL_RELEASE = re.compile(
    r"<!-- until the first release -->\n.*?<!-- /until the first release -->\n\n?", re.DOTALL
)
_TAG = re.compile(r"v(\d+)\.(\d+)\.(\d+)")
Version = tuple[int, ...]


def parse_tag(tag: str) -> Version:
    """Return the version of a tag. Exits for another name."""
    found = _TAG.fullmatch(tag)
    if found is None:
        sys.exit(f"{tag} is no release: a tag has the form v1.2.3")
    return tuple(map(int, found.groups()))


def notes(root: Path, tag: str) -> str:
    """Return the changelog's part about a tag. Exits if the tag may not be released."""
    parse_tag(tag)
    version = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    if tag != f"v{version}":
        sys.exit(f"{tag} is not the version in pyproject.toml, {version}")
    if _git(root, "merge-base", "--is-ancestor", f"{tag}^{{commit}}", BRANCH).returncode:
        sys.exit(f"{tag} is not on the branch main, whose commits CI has tested")
    if pages := unpublished_pages(root):
        sys.exit(f"{pages[0].name} says that nothing is published: run `scripts.release publish`")
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    found = re.search(
        rf"^## {re.escape(version)}\b[^\n]*\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL
    )
    if found is None or not (text := found[1].strip()):
        sys.exit(f"CHANGELOG.md has no part `## {version}`: name the part `Unreleased` so")
    return f"{text}\n"


def unpublished_pages(root: Path) -> list[Path]:
    """Return the documents with parts that hold until the first release."""
    pages = _git(root, "ls-files", "-z", "*.md").stdout.split("\0")
    return [
        root / page
        for page in pages
        if page and _UNTIL_RELEASE.search((root / page).read_text("utf-8"))
    ]


def publish(root: Path) -> str:
    """Remove these parts and say from which documents."""
    pages = unpublished_pages(root)
    for page in pages:
        page.write_text(_UNTIL_RELEASE.sub("", page.read_text("utf-8")), "utf-8")
    return "".join(f"{page.relative_to(root)}\n" for page in pages)


def move_major_tag(root: Path, tag: str) -> str:
    """Move `v1` at `origin` to the release `v1.2.3` and say so. An older release moves nothing."""
    version = parse_tag(tag)
    major = f"v{version[0]}"
    listed = _git(root, "ls-remote", "--tags", "--refs", "origin", f"{major}.*")
    if listed.returncode:
        sys.exit(listed.stderr)
    names = [line.rpartition("/")[2] for line in listed.stdout.splitlines()]
    newest = max((parse_tag(name) for name in names if _TAG.fullmatch(name)), default=version)
    if newest > version:
        return f"{major} stays at v{'.'.join(map(str, newest))}, which is newer than {tag}"
    pushed = _git(root, "push", "--force", "origin", f"{tag}^{{commit}}:refs/tags/{major}")
    if pushed.returncode:
        sys.exit(pushed.stderr)
    return f"{major} is now {tag}"


def _git(root: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main() -> None:
    """Run the command that the arguments name."""
    match sys.argv[1:]:
        case ["notes", tag]:
            sys.stdout.write(notes(Path(), tag))
        case ["publish"]:
            sys.stdout.write(publish(Path()))
        case ["move", tag]:
            print(move_major_tag(Path(), tag))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
