"""After an upgrade of manifests' readers alone, a run reads these again and no other file."""

from pathlib import Path

import pytest

from indexer.client.api import OpenRequest
from indexer.git.blobs import Blobs
from indexer.pipeline.fingerprint import EXTRACTOR
from indexer.pipeline.job import Job
from indexer.pipeline.report import Report
from indexer.pipeline.versions import NEWEST
from indexer.records.extractors import MANIFESTS, Extractor
from indexer.records.runs import Reason, Requested
from scripts.local_git import commit_all, git, new_repository
from scripts.local_service import Organization
from tests.e2e.indexing import carried_out, opened

MAIN = "refs/heads/main"
MANIFEST_FILES = {
    "pyproject.toml": '[project]\nname = "acme-shop"\nversion = "1.0"\n',
    "uv.lock": 'version = 1\n\n[[package]]\nname = "acme-two"\nversion = "2.3.4"\n',
    "web/package.json": '{"name": "@acme/web"}\n',
    "environment.yml": "dependencies:\n  - python\n",
}
FILES = {
    "shop.py": "def score(x):\n    return x\n",
    "web/app.ts": "export function go() {}\n",
    "README.md": "# Shop\n",
    "config.yml": "a: 1\n",
    "data.bin": "\0",
    "vendor/dep/go.mod": "module example.org/dep\n",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    path = new_repository(tmp_path / "clone")
    for name, text in {**MANIFEST_FILES, **FILES}.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    commit_all(path, "first")
    return path


def run(acme: Organization, path: Path, extractor: str) -> Report:
    with opened(acme, path) as (repository, central):
        head = repository.commit("HEAD")
        request = OpenRequest(acme.slug, "upgraded", MAIN, head, extractor)
        return carried_out(Job(request, Requested.AUTO, timeout_seconds=60), repository, central)


def test_a_run_reads_manifests_again_and_no_other_file(
    acme: Organization, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []
    read = Blobs.read
    monkeypatch.setattr(
        Blobs, "read", lambda blobs, blob: (reads.append(blob), read(blobs, blob))[1]
    )
    versions = {part: one for part, one in NEWEST.versions.items() if part != MANIFESTS}
    run(acme, checkout, str(Extractor(NEWEST.shared, versions)))
    before = acme.dump("upgraded")
    assert len(reads) > len(MANIFEST_FILES)
    reads.clear()
    report = run(acme, checkout, EXTRACTOR)
    assert report.reason is Reason.EXTRACTOR_CHANGED
    paths = [git(checkout, "rev-parse", f"HEAD:{name}").strip() for name in MANIFEST_FILES]
    assert sorted(reads) == sorted(paths)
    assert report.stats.embedded == 0
    assert acme.dump("upgraded").replace(f" manifests={NEWEST.versions[MANIFESTS]}", "") == before
    assert run(acme, checkout, EXTRACTOR).reason is Reason.UP_TO_DATE
