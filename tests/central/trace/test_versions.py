"""Which of two versions is older, by the rules of each ecosystem."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from central.trace.links import is_older
from indexer.records.manifests import VERSION_CHARACTERS, Ecosystem

SEMVER = (
    "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1"
    " 1.0.0"
)
# Each line is in order: every version is older than the ones after it.
IN_ORDER = [
    # packaging.python.org/specifications/version-specifiers, "Summary of permitted suffixes"
    ("pypi", "1.0.dev1 1.0a1 1.0b1 1.0rc1 1.0 1.0+local 1.0.post1 1.1.dev1 1.9 1.10 1!0.1"),
    # semver.org, 11: the example of the specification, then numbers by value
    ("npm", f"{SEMVER} 1.0.1 1.2.0 1.10.0 2.0.0-0 2.0.0"),
    ("cargo", f"{SEMVER} 1.0.1 1.2.0 1.10.0 2.0.0"),
    # developer.apple.com/documentation/packagedescription/version; a tag may have a "v"
    ("swiftpm", f"{SEMVER} v1.0.1 1.2.0 v1.10.0"),
    # go.dev/ref/mod, "Versions" and "Pseudo-versions"
    (
        "go",
        "v0.0.0-20190101000000-abcdefabcdef v0.0.0-20200101000000-0bcdefabcdef v0.1.0-rc.1 v0.1.0"
        " v0.1.1-0.20190101000000-abcdefabcdef v0.1.1 v1.9.0 v1.10.0 v2.0.0+incompatible",
    ),
    # getcomposer.org/doc/04-schema.md, "version"; php.net/version_compare has the order
    (
        "composer",
        "1.0.0-dev 1.0.0-alpha1 1.0.0-beta2 v1.0.0-beta10 1.0.0-RC1 1.0.0 1.0.0-p1 1.0.0-patch2"
        " 1.0.0.1 1.9 1.10",
    ),
    # maven.apache.org/pom.html, "Version Order Specification"
    (
        "maven",
        "1.0-alpha-9 1.0-alpha-10 1.0-beta-1 1.0-M1 1.0-rc1 1.0-SNAPSHOT 1.0 1.0-sp1 1.0-1 1.0.1"
        " 1.9 1.10",
    ),
    ("maven", "5.3.0.RELEASE 5.3.1.RELEASE"),
    ("maven", "31.0-android 31.0-jre 31.1-android"),
    # learn.microsoft.com/nuget/concepts/package-versioning
    ("nuget", "1.0.0-Alpha 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-RC 1.0.0 1.0.0.1 1.9 1.10"),
    # rubydoc.info/stdlib/rubygems/Gem/Version
    (
        "rubygems",
        "0.9 1.0.0.alpha 1.0.0.beta2 1.0.0.beta10 1.0.0.pre 1.0.0.rc1 1.0.0 1.0.0.1 1.9 1.10",
    ),
]
EQUAL = [
    ("pypi", "1.0", "1.0.0"),
    ("npm", "1.0.0+build.1", "1.0.0+build.2"),
    ("go", "v2.0.0+incompatible", "v2.0.0"),
    ("composer", "v1.0", "1.0.0.0"),
    ("composer", "1.0.0+build.2", "1.0.0+build.1"),
    ("composer", "1.0.0-rc1", "1.0.0RC1"),
    ("maven", "1.0.Final", "1"),
    ("maven", "1.0-ga", "1.0"),
    ("maven", "1.0-cr1", "1.0-rc1"),
    ("nuget", "1.0.0.0", "1.0"),
    ("nuget", "1.0.0-BETA", "1.0.0-beta"),
    ("rubygems", "1.0.0", "1"),
]
UNREADABLE = [
    ("pypi", "main"),
    ("npm", "workspace:*"),
    ("npm", "latest"),
    ("cargo", "1.0"),
    ("go", "master"),
    ("go", "1.0.0"),
    ("composer", "dev-master"),
    ("nuget", "$(Version)"),
    ("nuget", " "),
    ("rubygems", "main"),
    ("none", "0.9"),
]


@pytest.mark.parametrize(("ecosystem", "line"), IN_ORDER)
def test_an_earlier_version_is_older(ecosystem: str, line: str) -> None:
    for older, newer in combinations(line.split(), 2):
        assert is_older(ecosystem, pinned=older, indexed=newer) is True
        assert is_older(ecosystem, pinned=newer, indexed=older) is False


@pytest.mark.parametrize(("ecosystem", "one", "other"), EQUAL)
def test_two_spellings_of_a_version_are_equal(ecosystem: str, one: str, other: str) -> None:
    assert is_older(ecosystem, pinned=one, indexed=other) is False
    assert is_older(ecosystem, pinned=other, indexed=one) is False


@pytest.mark.parametrize(("ecosystem", "version"), UNREADABLE)
def test_it_is_unknown_whether_an_unreadable_version_is_older(ecosystem: str, version: str) -> None:
    assert is_older(ecosystem, pinned=version, indexed="1.0.0") is None
    assert is_older(ecosystem, pinned="1.0.0", indexed=version) is None


@pytest.mark.parametrize("ecosystem", Ecosystem)
def test_it_is_unknown_without_one_of_the_versions(ecosystem: str) -> None:
    assert is_older(ecosystem, pinned="", indexed="1.0.0") is None
    assert is_older(ecosystem, pinned="1.0.0", indexed="") is None


versions = st.text(st.sampled_from("0123.-+~!vabcrpdev $\t\0٣²é") | st.characters(), max_size=30)


@given(ecosystem=st.sampled_from(Ecosystem), pinned=versions, indexed=versions)
def test_any_text_has_an_answer(ecosystem: str, pinned: str, indexed: str) -> None:
    for start in ("", "1."):
        is_older(ecosystem, pinned=start + pinned, indexed=start + indexed)


@pytest.mark.parametrize("ecosystem", Ecosystem)
def test_the_longest_versions_have_an_answer(ecosystem: str) -> None:
    for part in ("1", "1.", "a", "1-", "1a", "-", "1.0.0-a."):
        long = (part * VERSION_CHARACTERS)[:VERSION_CHARACTERS]
        is_older(ecosystem, pinned=long, indexed=f"{long[:-1]}2")
