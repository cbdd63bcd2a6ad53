"""Cargo.toml and Cargo.lock."""

from indexer.records.manifests import Pin, PinUse
from tests.indexer.ecosystems.reading import asked, read
from tests.indexer.ecosystems.workspaces import workspace


def test_a_package_with_a_library_and_renamed_dependencies() -> None:
    manifest = read(
        "Cargo.toml",
        """
        [package]
        name = "acme_auth"
        version = "1.0.0"
        [lib]
        name = "auth"
        path = "lib/auth.rs"
        [dependencies]
        serde = "1"
        tokens = { package = "acme_tokens", version = "=0.3.1" }
        local = { path = "../local" }
        [target.'cfg(unix)'.dependencies]
        libc = "0.2"
        [dev-dependencies]
        insta = "*"
        """,
    )
    assert (manifest.name, manifest.version) == ("acme-auth", "1.0.0")
    assert manifest.import_names == ("auth",)
    assert manifest.entries == (("", "lib/auth.rs"),)
    assert asked(manifest) == {
        "serde": "1",
        "acme-tokens": "=0.3.1",
        "local": "",
        "insta": "",
        "libc": "0.2",
    }
    assert manifest.pins == (Pin("acme-tokens", "0.3.1"),)
    assert manifest.renamed == (("tokens", "acme-tokens"),)


def test_a_workspace_tells_its_members_and_shared_versions() -> None:
    text = """
        [workspace]
        members = ["crates/*"]
        [workspace.package]
        version = "2.0.0"
        [workspace.dependencies]
        serde = "1.0.200"
        [package]
        name = "top"
        version.workspace = true
        [dependencies]
        serde = { workspace = true }
        """
    manifest = read("Cargo.toml", text)
    assert manifest.members == ("crates/*",)
    assert manifest.settings == (
        ("inherits", "version"),
        ("inherits", "dependency serde"),
        ("member version", "2.0.0"),
        ("member dependency serde", "serde 1.0.200"),
    )
    (root,) = workspace({"Cargo.toml": text}).packages
    assert root.version == "2.0.0"
    assert [(one.name, one.required) for one in root.dependencies] == [("serde", "1.0.200")]


def test_a_lock_file_may_pin_several_versions_of_one_crate() -> None:
    text = """
version = 4

[[package]]
name = "acme_auth"
version = "1.0.0"
dependencies = [
 "rand 0.8.5",
]

[[package]]
name = "rand"
version = "0.7.3"

[[package]]
name = "rand"
version = "0.8.5"
"""
    manifest = read("Cargo.lock", text)
    assert manifest.pins == (
        Pin("acme-auth", "1.0.0"),
        Pin("rand", "0.7.3"),
        Pin("rand", "0.8.5"),
    )
    assert manifest.uses == (PinUse("acme-auth", "rand", "", "0.8.5"),)


def test_a_member_has_the_names_that_the_workspace_gives_to_dependencies() -> None:
    files = {
        "Cargo.toml": """
            [workspace.dependencies]
            db = { path = "store", package = "internal-store" }
            log = "=0.4.1"
            """,
        "app/Cargo.toml": """
            [package]
            name = "app"
            [dependencies]
            db.workspace = true
            log.workspace = true
            my-link = { package = "linker" }
            """,
    }
    (app,) = (one for one in workspace(files).packages if one.name)
    assert [(one.name, one.alias, one.pinned) for one in app.dependencies] == [
        ("linker", "my_link", ""),
        ("internal-store", "db", ""),
        ("log", "", "0.4.1"),
    ]


def test_each_name_of_a_crate_has_its_own_range_and_version() -> None:
    files = {
        "Cargo.toml": """
            [workspace]
            members = ["app"]
            [workspace.dependencies]
            rand-old = { package = "rand", version = "0.7" }
            """,
        "app/Cargo.toml": """
            [package]
            name = "app"
            [dependencies]
            rand = "0.8"
            rand-old.workspace = true
            """,
        "Cargo.lock": """
[[package]]
name = "app"
version = "0.1.0"
dependencies = [
 "rand 0.7.3",
 "rand 0.8.5",
]

[[package]]
name = "rand"
version = "0.7.3"
source = "registry+x"

[[package]]
name = "rand"
version = "0.8.5"
source = "registry+x"
""",
    }
    (app,) = (one for one in workspace(files).packages if one.name)
    assert [(one.name, one.alias, one.required, one.pinned) for one in app.dependencies] == [
        ("rand", "", "0.8", "0.8.5"),
        ("rand", "rand_old", "0.7", "0.7.3"),
    ]


def test_a_crate_in_two_versions_under_two_names_has_no_range_of_its_own() -> None:
    text = """
        [dependencies]
        rand = "0.8"
        rand7 = { package = "rand", version = "0.7" }
        """
    manifest = read("Cargo.toml", text)
    assert asked(manifest) == {"rand": "0.8 || 0.7"}
    assert manifest.renamed == (("rand7", "rand"),)
