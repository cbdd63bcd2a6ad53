"""Which files are bundles of a GitHub action."""

from pathlib import Path

from indexer.git.repository import Repository
from indexer.pipeline.plan import bundles_at, selected_entries
from indexer.records.files import SkipReason
from tests.indexer.repositories import Sandbox

FILES = {
    "action.yml": "runs:\n  using: node20\n  main: dist/index.js\n",
    "dist/index.js": "run()\n",
    "dist/cleanup/index.mjs": "run()\n",
    "dist/README.md": "# Bundles\n",
    "src/index.ts": "run()\n",
    "packages/site/dist/site.js": "run()\n",
    "actions/post/action.yaml": "runs:\n  using: node20\n",
    "actions/post/dist/post.js": "run()\n",
}
BUNDLES = {"dist/index.js", "dist/cleanup/index.mjs", "actions/post/dist/post.js"}


def test_scripts_in_dist_beside_the_file_of_an_action_are_bundles(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path)
    commit = sandbox.commit("first", dict(FILES))
    repository = Repository(tmp_path)
    assert bundles_at(repository, commit, FILES) == BUNDLES
    entries = selected_entries(repository, commit, repository.tree(commit))
    generated = {one.path for one in entries if one.skipped is SkipReason.GENERATED}
    assert generated == BUNDLES


def test_an_attribute_says_otherwise_and_a_new_action_selects_anew(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path)
    first = sandbox.commit("first", {"dist/index.js": "run()\n"})
    attributes = "dist/index.js -linguist-generated\n"
    second = sandbox.commit("second", {"action.yml": "", ".gitattributes": attributes})
    third = sandbox.commit("third", {"action.yml": "name: a\n"})
    repository = Repository(tmp_path)
    entries = selected_entries(repository, second, repository.tree(second))
    assert not any(entry.skipped for entry in entries)
    assert repository.selection_changed(first, second)
    assert repository.selection_changed(second, third)
