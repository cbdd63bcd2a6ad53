"""The command `impact` as it is run; what it finds is `tests/e2e/test_impact.py`'s."""

import os
import subprocess
import sys
from pathlib import Path

from tests.indexer.repositories import Sandbox


def command(*arguments: str | Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    return subprocess.run(
        [sys.executable, "-m", "indexer", "impact", *arguments],
        env=kept | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_process_that_extracts_imports_no_ecosystem_until_it_has_a_manifest() -> None:
    check = (
        "import sys, indexer.pipeline.worker\n"
        "assert 'indexer.ecosystems.formats' in sys.modules\n"
        "assert not {'indexer.ecosystems.npm', 'indexer.ecosystems.maven'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", check], check=True)


def test_its_help_imports_neither_http_nor_git_nor_a_parser() -> None:
    check = (
        "import sys, indexer.__main__\n"
        "assert not {'httpx', 'git', 'tree_sitter', 'tokenizers', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", check], check=True)
    assert "BASE..HEAD" in command("--help").stdout


def test_a_service_that_is_away_is_told_in_the_summary(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path / "shop")
    sandbox.commit("first", {"a.py": "a = 1\n"})
    sandbox.commit("second", {"a.py": "a = 2\n"})
    summary = tmp_path / "summary.md"
    done = command(
        "HEAD~1..HEAD", "--path", sandbox.path, "--json", AETERNA_URL="http://127.0.0.1:9",
        AETERNA_TOKEN="aet_x", AETERNA_ORGANIZATION="acme", AETERNA_RETRY_SECONDS="0",
        GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary),
    )  # fmt: skip
    assert done.returncode == 4
    assert done.stdout == ""
    assert "::error title=The service did not answer::" in done.stderr
    assert summary.read_text().startswith("### Impact unknown: The service did not answer\n")
    assert "Exit code 4" in summary.read_text()
