"""go.mod and go.work."""

from indexer.ecosystems import Workspace
from indexer.records.manifests import Dependency, Pin
from tests.indexer.ecosystems.reading import read
from tests.indexer.ecosystems.workspaces import workspace


def test_a_module_its_requirements_and_what_replaces_them() -> None:
    manifest = read(
        "go.mod",
        """
module github.com/acme/notifications/v2 // the second

go 1.22

require (
	github.com/acme/go-kit v1.2.0
	github.com/acme/local v0.1.0 // indirect
)

require github.com/acme/forked v1.0.0
replace github.com/acme/forked => github.com/other/fork v1.0.1
replace (
	github.com/acme/local v0.1.0 => ../local
	github.com/acme/absent => github.com/other/absent v1.0.0
)
""",
    )
    assert manifest.name == "github.com/acme/notifications/v2"
    assert manifest.dependencies == (
        Dependency("github.com/acme/go-kit", "v1.2.0"),
        Dependency("github.com/acme/local", "v0.1.0"),
        Dependency("github.com/acme/forked", "v1.0.0"),
    )
    assert manifest.pins == (
        Pin("github.com/acme/go-kit", "v1.2.0"),
        Pin("github.com/acme/forked", "v1.0.1"),
    )


def test_directives_that_are_cut_short_say_nothing() -> None:
    manifest = read("go.mod", "module\nrequire\nrequire x\nreplace a =>\nmodule (\n)\nuse\n")
    assert (manifest.name, manifest.dependencies) == ("", ())


def test_a_replacement_of_another_version_changes_nothing() -> None:
    text = "module a\nrequire b v1.5.2\nreplace b v1.5.1 => b v1.4.0\n"
    assert read("go.mod", text).pins == (Pin("b", "v1.5.2"),)


def test_an_excluded_version_is_not_the_one_in_use() -> None:
    assert read("go.mod", "module a\nrequire b v1.5.2\nexclude b v1.5.2\n").pins == ()


def _pinned(found: Workspace) -> dict[str, dict[str, str]]:
    return {
        one.root: {need.name: need.pinned for need in one.dependencies} for one in found.packages
    }


def test_modules_of_a_workspace_share_the_highest_version() -> None:
    files = {
        "go.work": "go 1.24\nuse (\n\t./one\n\t./other\n)\n",
        "one/go.mod": "module one\nrequire (\n\tb v1.0.0\n\tother v1.0.0\n)\n",
        "other/go.mod": "module other\nrequire b v1.2.0\n",
        "third/go.mod": "module third\nrequire b v1.0.0\n",
    }
    assert _pinned(workspace(files)) == {
        "": {},
        "one": {"b": "v1.2.0", "other": ""},
        "other": {"b": "v1.2.0"},
        "third": {"b": "v1.0.0"},
    }


def test_a_module_inside_of_another_takes_nothing_from_it() -> None:
    files = {"go.mod": "module a\nrequire b v1.0.0\n", "tools/go.mod": "module a/tools\n"}
    assert _pinned(workspace(files)) == {"": {"b": "v1.0.0"}, "tools": {}}
