"""Scripts that say in a comment what they ask for (PEP 723)."""

import pytest

from indexer.ecosystems import RootDependency, is_manifest, read_manifest
from indexer.records.manifests import OWN_FILE, ManifestProblem, Pin
from tests.indexer.ecosystems.reading import asked, read
from tests.indexer.ecosystems.workspaces import PROJECT, workspace

_SCRIPT = """#!/usr/bin/env -S uv run --script
# Prints.
#
# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "Acme_Kit==2.1.0",  # pinned
#   "rich>=13,<14",
#   "acme-log",
# ]
#
# [tool.uv.sources]
# acme-log = { git = "https://example.com/log", tag = "v2" }
# ///
import acme_kit
"""


@pytest.mark.parametrize("path", ["tools/run.py", "run", "a/b.pyw"])
@pytest.mark.parametrize("text", [_SCRIPT, _SCRIPT.replace("\n", "\r\n"), "\ufeff" + _SCRIPT])
def test_a_script_says_what_it_asks_for(path: str, text: str) -> None:
    manifest = read(path, text)
    assert asked(manifest) == {
        "acme-kit": "==2.1.0",
        "rich": ">=13,<14",
        "acme-log": "git+https://example.com/log@v2",
    }
    assert manifest.pins == (Pin("acme-kit", "2.1.0"),)
    assert manifest.settings == (OWN_FILE,)
    assert not is_manifest(path)


@pytest.mark.parametrize(
    "text",
    [
        "import a\n",
        "# /// script\n# dependencies = []\n",
        "# /// script \n# dependencies = []\n# ///\n",
        "    # /// script\n    # dependencies = []\n    # ///\n",
        "# /// script\n#dependencies = []\n# ///\n",
        "# /// pyproject\n# x = 1\n# ///\n",
    ],
)
def test_other_comments_are_no_manifest(text: str) -> None:
    assert read_manifest("a.py", text) is None


def test_the_comment_goes_to_its_last_end_and_comes_once() -> None:
    text = "# /// script\n# x = '''\n# ///\n# '''\n# dependencies = ['a']\n# ///\n"
    assert asked(read("a.py", text)) == {"a": ""}
    assert read("a.py", text + "\n" + text).problem is ManifestProblem.INVALID


def test_the_lock_file_of_a_script_pins() -> None:
    lock = read("tools/run.py.lock", 'version = 1\n\n[[package]]\nname = "a"\nversion = "1.2"\n')
    assert (lock.pins, lock.settings) == ((Pin("a", "1.2"),), (OWN_FILE,))


def test_a_script_is_a_consumer_of_its_own_and_a_module_of_the_package_around_it() -> None:
    script = "# /// script\n# dependencies = [{}]\n# ///\n"
    every = workspace(
        {
            "pyproject.toml": PROJECT + 'dependencies = ["a==1", "b==1"]\n',
            "uv.lock": '[[package]]\nname = "b"\nversion = "1"\n',
            "src/acme_auth/tool.py": script.format('"b>1"'),
            "src/acme_auth/tool.py.lock": '[[package]]\nname = "b"\nversion = "2"\n',
            "src/acme_auth/empty.py": script.format(""),
        }
    )
    found = {
        name: every.package_of(path=f"src/acme_auth/{name}.py", language="python")
        for name in ("other", "tool", "empty")
    }
    assert {name: one and one.dependencies for name, one in found.items()} == {
        "other": (RootDependency("a", "==1", "1"), RootDependency("b", "==1", "1")),
        "tool": (RootDependency("b", ">1", "2"),),
        "empty": (),
    }
    around = every.provider_of(path="src/acme_auth/tool.py", language="python")
    assert around == found["other"]
    names = every.module_names(path="src/acme_auth/tool.py", language="python", namespace="")
    assert [one.name for one in names if one.public] == ["acme_auth.tool"]
