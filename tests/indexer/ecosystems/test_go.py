"""go.mod."""

from indexer.records.manifests import Dependency, Pin
from tests.indexer.ecosystems.reading import read


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
    manifest = read("go.mod", "module\nrequire\nrequire x\nreplace a =>\nmodule (\n)\n")
    assert (manifest.name, manifest.dependencies) == ("", ())
