"""Cargo.toml and Cargo.lock."""

from indexer.records.manifests import Pin
from tests.indexer.ecosystems.reading import asked, read


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


def test_a_workspace_tells_its_members_and_shared_versions() -> None:
    manifest = read(
        "Cargo.toml",
        """
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
        """,
    )
    assert manifest.members == ("crates/*",)
    assert manifest.version == "2.0.0"
    assert asked(manifest) == {"serde": "1.0.200"}


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
    assert read("Cargo.lock", text).pins == (
        Pin("acme-auth", "1.0.0"),
        Pin("rand", "0.7.3"),
        Pin("rand", "0.8.5"),
    )
