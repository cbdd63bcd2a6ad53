"""`.codesearch.toml` is read as documented, and what is wrong in it is named."""

import pytest

from indexer.config.project_file import ProjectFile, parse_project_file, unknown_sentence
from indexer.errors import ConfigurationError


def test_the_project_file_is_read() -> None:
    content = b'[index]\ninclude = ["src/"]\nexclude = ["*.min.js"]\nmax_file_bytes = 9\n'
    assert parse_project_file(content) == ProjectFile(("src/",), ("*.min.js",), 9)
    assert parse_project_file(b"") == ProjectFile()


def test_keys_of_a_newer_version_are_named_and_end_no_run() -> None:
    file = parse_project_file(b"branches = ['release/*']\n[other]\nkey = 1\n")
    assert (file.branches, file.unknown) == (("release/*",), ("other",))
    assert "other is not read" in unknown_sentence(file.unknown)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"[index]\nexcluded = []\n", r"index\.excluded"),
        (b"[server]\ntoken = 'x'\n", r"server\.token"),
        (b"branches = 'main'\n", "branches"),
        (b"branches = [1]\n", "branches"),
        (b"branches = ['']\n", "branches"),
        (b"branches = [" + b"'a'," * 101 + b"]\n", "branches holds 101 patterns"),
        (b"branches = ['" + b"a" * 2048 + b"']\n", "longer than"),
        (b"[branches]\n", "branches"),
        (b"index = 1\n", "index"),
        (b"[index]\nexclude = 'x'\n", r"index\.exclude"),
        (b"[index]\ninclude = [1]\n", r"index\.include"),
        (b"[index]\nmax_file_bytes = true\n", r"index\.max_file_bytes"),
        (b"[index]\nmax_file_bytes = 0\n", r"index\.max_file_bytes"),
        (b"[server]\nurl = 1\n", r"server\.url"),
        (b"[index]\nexclude = ['*.py', '!']\n", r"index\.exclude.*'!'"),
        (b"[index]\ninclude = ['a\\']\n", r"index\.include.*'a\\\\"),
        (b"[index]\nexclude = ['a[z-b]']\n", r"index\.exclude.*'a\[z-b\]'"),
        (b"[index]\nmax_file_bytes = " + b"9" * 5000, "TOML"),
        (b"[index]\ninclude = " + b"[" * 5000 + b"]" * 5000, "TOML"),
        (b"[", "TOML"),
        (b"\xff", "TOML"),
    ],
)
def test_what_is_wrong_in_the_project_file_is_named(content: bytes, named: str) -> None:
    with pytest.raises(ConfigurationError, match=named):
        parse_project_file(content)


def test_a_project_file_that_is_too_large_is_not_read() -> None:
    with pytest.raises(ConfigurationError, match="larger than"):
        parse_project_file(b"#" * 65_537)
