"""Every relative link and anchor of a Markdown file resolves, and the index lists every page."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("tutorial", "how-to", "reference", "explanation")
_FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_PAGE = re.compile(r"\bdocs/(?:[\w-]+/)?[\w-]+\.md\b")
_NOT_OURS = ("examples/acme/", "benchmarks/graph/", "tests/")  # documents that others would write


def listed(*patterns: str) -> list[Path]:
    """Files of this project that match, as git lists them."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [path for name in names.splitlines() if (path := ROOT / name).is_file()]


PAGES = [page for page in listed("*.md") if "examples/acme/" not in page.as_posix()]


def links(page: Path) -> list[str]:
    """The relative targets outside of code."""
    text = _CODE.sub("", _FENCED.sub("", page.read_text(encoding="utf-8")))
    return [target for target in _LINK.findall(text) if not re.match(r"[a-z]+:", target)]


def anchors(page: Path) -> set[str]:
    """The anchors that a forge gives to the headings."""
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.strip().lower()).replace(" ", "-") for title in titles}


def resolves(page: Path, target: str) -> bool:
    name, _, anchor = target.partition("#")
    linked = (page.parent / name).resolve() if name else page
    return linked.exists() and (not anchor or anchor in anchors(linked))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page: Path) -> None:
    assert [target for target in links(page) if not resolves(page, target)] == []


def test_a_page_that_the_source_names_exists() -> None:
    """Comments and messages name pages from the root."""
    named = {
        (str(path.relative_to(ROOT)), name)
        for path in listed("*.py", "*.toml", "*.yml", "*.yaml", "*.html", "*.md", "Makefile")
        if not str(path.relative_to(ROOT)).startswith(_NOT_OURS) and "migrations" not in path.parts
        for name in _PAGE.findall(path.read_text(encoding="utf-8"))
    }
    assert sorted(one for one in named if not (ROOT / one[1]).is_file()) == []
    assert named


def test_the_index_links_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / target.partition("#")[0]).resolve() for target in links(index)}
    pages = {page for kind in KINDS for page in (ROOT / "docs" / kind).glob("*.md")}
    assert sorted(page.name for page in pages - linked) == []


def test_a_page_is_of_one_kind() -> None:
    here = {page.name for page in (ROOT / "docs").iterdir()}
    assert here == {"README.md", "decisions", "images", *KINDS}
