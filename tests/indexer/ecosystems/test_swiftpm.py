"""Package.swift and Package.resolved."""

from indexer.records.manifests import Dependency, Pin
from tests.indexer.ecosystems.reading import read


def test_a_package_its_targets_and_dependencies() -> None:
    manifest = read(
        "Package.swift",
        """
// swift-tools-version:5.9
let package = Package(
    name: "AcmeApp",
    dependencies: [
        .package(url: "https://github.com/acme/acme-auth.git", from: "1.2.0"),
        .package(url: "https://github.com/acme/Exact", exact: "2.0.0"),
        .package(path: "../Local"),
    ],
    targets: [
        .target(name: "AcmeCore"),
        .target(name: "AcmeUI", dependencies: ["AcmeCore"], path: "./UI/Code"),
        .testTarget(name: "AcmeTests", dependencies: ["AcmeCore"]),
    ]
)
""",
    )
    assert manifest.name == "acmeapp"
    assert manifest.entries == (("AcmeUI", "UI/Code"),)
    assert manifest.dependencies == (
        Dependency("acmeauth", "1.2.0"),
        Dependency("exact", "2.0.0"),
        Dependency("local", ""),
    )
    assert manifest.pins == (Pin("exact", "2.0.0"),)


def test_lock_files_of_all_formats() -> None:
    state = {"version": "1.2.3"}
    second = {"pins": [{"identity": "acme-auth", "state": state}], "version": 2}
    first = {
        "object": {"pins": [{"repositoryURL": "https://h/acme/acme-auth.git", "state": state}]}
    }
    for resolved in (first, second):
        assert read("Package.resolved", resolved).pins == (Pin("acmeauth", "1.2.3"),)
