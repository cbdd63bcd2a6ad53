"""Package.swift and Package.resolved."""

import json

import pytest

from indexer.ecosystems.swiftpm.manifests import allows
from indexer.records.manifests import Dependency, Pin
from tests.indexer.ecosystems.reading import asked, read
from tests.indexer.ecosystems.workspaces import workspace


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
        Dependency("exact", "exact: 2.0.0"),
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


@pytest.mark.parametrize(
    ("written", "required"),
    [
        ('from: "1.2.0"', "1.2.0"),
        ('.upToNextMajor(from: "1.2.0")', "1.2.0"),
        ('.upToNextMinor(from: "1.2.0")', "upToNextMinor: 1.2.0"),
        ('exact: "1.2.0"', "exact: 1.2.0"),
        ('.exact("1.2.0")', "exact: 1.2.0"),
        ('"1.0.0"..<"1.5.0"', "1.0.0..<1.5.0"),
        ('"1.0.0" ... "1.5.0"', "1.0.0...1.5.0"),
        ('branch: "main"', "branch: main"),
        ('.branch("main")', "branch: main"),
        ('revision: "1a2b"', "revision: 1a2b"),
        ("Version(1, 2, 0)", ""),
        ('from: "1.2.0", traits: ["a"]', "1.2.0"),
    ],
)
@pytest.mark.parametrize("place", ['url: "https://h/a/log.git"', 'id: "acme.log"'])
def test_a_requirement_is_read_in_every_form(written: str, required: str, place: str) -> None:
    lines = f"""
        // .package(url: "https://h/a/old", from: "1.0.0"),
        /* .package(url: "https://h/a/older", from: "1.0.0"), */
        .package(
            {place}, // why
            {written}
        ),
        .package(path: "../x"),
    """
    assert asked(read("Package.swift", lines)) == {"log": required, "x": ""}


@pytest.mark.parametrize(
    ("required", "allowed", "refused"),
    [
        ("1.2.0", ["1.2.0", "1.9.9"], ["1.1.9", "2.0.0", "2.0.0-beta", "1.3.0-beta"]),
        ("1.2.0-beta", ["1.2.0-beta.2", "1.3.0-rc", "1.9.0"], ["1.2.0-alpha", "2.0.0-rc"]),
        ("0.3.0", ["0.3.0", "0.9.0"], ["1.0.0", "0.2.9"]),
        ("upToNextMinor: 1.2.3", ["1.2.3", "1.2.9"], ["1.3.0", "1.2.2", "1.2.4-rc"]),
        ("exact: 1.2.0", ["1.2.0"], ["1.2.1", "1.2.0-rc"]),
        ("1.0.0..<1.5.0", ["1.0.0", "1.4.9"], ["1.5.0", "0.9.0", "1.5.0-rc"]),
        ("1.0.0..<1.5.0-rc", ["1.5.0-beta", "1.4.0"], ["1.5.0-rc", "1.5.0"]),
        ("1.0.0...1.5.0", ["1.5.0", "1.0.0"], ["1.5.1", "1.5.1-rc"]),
        ("branch: main", [], ["1.0.0"]),
        ("revision: 1a2b", [], ["1.0.0"]),
    ],
)
def test_a_requirement_allows_versions_as_the_package_manager_says(
    required: str, allowed: list[str], refused: list[str]
) -> None:
    assert all(allows(required, one) for one in allowed)
    assert not any(allows(required, one) for one in refused)


def test_a_requirement_of_another_kind_is_none() -> None:
    with pytest.raises(ValueError, match="requirement"):
        allows("latest", "1.0.0")


@pytest.mark.parametrize("version", [1, 2, 3])
def test_what_follows_a_branch_has_no_version(version: int) -> None:
    pins = [
        {"identity": "log", "location": "https://h/a/log.git", "state": {"version": "1.4.0"}},
        {"identity": "auth", "location": "https://h/a/auth", "state": {"branch": "main"}},
    ]
    if version == 1:
        pins = [{"repositoryURL": one["location"], "state": one["state"]} for one in pins]
    resolved = {"object": {"pins": pins}} if version == 1 else {"pins": pins, "originHash": "x"}
    swift = """let package = Package(name: "app", dependencies: [
        .package(url: "https://h/a/log.git", from: "1.2.0"),
        .package(url: "https://h/a/auth", branch: "main"),
    ])"""
    files = {
        "Package.swift": swift,
        "Package.resolved": json.dumps({**resolved, "version": version}),
    }
    (package,) = workspace(files).packages
    assert {one.name: one.pinned for one in package.dependencies} == {"log": "1.4.0", "auth": ""}
