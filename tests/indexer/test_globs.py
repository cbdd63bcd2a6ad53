"""Patterns match as git and pathspec match them, and no star of them is tried again and again."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from indexer.config.project_file import parse_project_file
from indexer.errors import ConfigurationError
from indexer.git.attribute_files import parse_attributes, values_of
from indexer.globs import PATTERN_BYTES, PATTERN_WILDCARDS, PATTERNS, file_pattern, ignore_spec
from tests.indexer.repositories import Sandbox
from tests.property_settings import examples

PIECES = st.sampled_from(["a", "b", "*", "?", "**", "/", "[ab]", "[!a]", ".py", "\\*"])
PATTERNS_OF_GIT = st.lists(PIECES, min_size=1, max_size=8).map("".join)
NAMES = st.text("ab.", min_size=1, max_size=5).filter(lambda name: name.strip("."))
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
DIRECTORIES = re.compile(r"\(\?:\[\^/\]\+/\)\*\??")
OTHER_GROUPS = re.compile(r"\(\?!/\)|\(\?:\(\?P<ps_d>/\)\|\$\)|\\.")
ATOMIC_GROUP = re.compile(r"\(\?>[^()]*\)")


def slash_free(pattern: str) -> bool:
    """A class of pathspec's takes a slash, which git's does not."""
    return "[!a]" not in pattern


@example(patterns=["**//a"], is_negated=False, path="a")
@given(st.lists(PATTERNS_OF_GIT, min_size=1, max_size=3), st.booleans(), PATHS)
@examples(1_000)
def test_the_same_is_matched_as_by_the_library(
    patterns: list[str], is_negated: bool, path: str
) -> None:
    lines = list(filter(slash_free, patterns))
    lines = [*lines[:-1], "!" + lines[-1]] if is_negated and lines else lines
    expected = GitIgnoreSpec.from_lines(lines, backend="simple").match_file(path)
    assert ignore_spec(lines).match_file(path) == expected


@example("a*b*")  # each star takes the first place where what follows it fits
@example("**/a/**/b")  # so does each "**"
@given(PATTERNS_OF_GIT.filter(slash_free))
def test_the_last_star_alone_is_tried_at_several_places(pattern: str) -> None:
    """Else the time is a power of the path's length: the number of stars is the exponent."""
    regex = ignore_spec([pattern]).patterns[0].regex
    for compiled in filter(None, (regex, file_pattern(pattern))):
        text = OTHER_GROUPS.sub("", DIRECTORIES.sub("%", compiled.pattern)).replace("[^/]*", "*")
        while (rest := ATOMIC_GROUP.sub("", text)) != text:
            text = rest
        assert text.count("%") <= 1
        assert max(part.count("*") for part in text.split("/")) <= 1  # no star passes a slash


@pytest.mark.parametrize(
    ("patterns", "problem"),
    [
        (["a"] * (PATTERNS + 1), "at most 1,000 are read"),
        (["a" * (PATTERN_BYTES + 1)], "longer than 1,024 bytes"),
        (["?" * (PATTERN_WILDCARDS + 1)], "with more than 64 wildcards"),
    ],
)
def test_what_is_too_much_in_a_project_file_is_named_with_what_to_do(
    patterns: list[str], problem: str
) -> None:
    content = f"[index]\nexclude = {patterns!r}\n".encode()
    with pytest.raises(ConfigurationError, match=problem) as caught:
        parse_project_file(content)
    assert len(str(caught.value)) < 300


# Attributes

# In "/a**" git drops the letters before it looks at the stars, which then cross directories; its
# documentation says that they do not, and here they do not. It reads "***/" as "**/", undocumented.
UNDOCUMENTED_STARS = re.compile(r"[^/*]\*\*|\*\*\*")
LINES = st.lists(
    st.builds(
        "{} {}".format,
        PATTERNS_OF_GIT.filter(
            lambda pattern: "\\" not in pattern and not UNDOCUMENTED_STARS.search(pattern)
        ),
        st.lists(
            st.sampled_from(["x", "-x", "!x", "x=v", "m", "-m", "n", "y", "x=", "-bad=name!"]),
            min_size=1,
            max_size=3,
        ).map(" ".join),
    ),
    max_size=5,
)
MACROS = "[attr]m x -y\n[attr]n m=1 y\n"


@given(st.lists(st.tuples(LINES, LINES, st.lists(PATHS, min_size=1, max_size=6)), max_size=1))
@examples(150)
def test_attributes_are_those_that_git_finds(
    git_attributes: Sandbox, cases: list[tuple[list[str], list[str], list[str]]]
) -> None:
    for top_lines, deep_lines, paths in cases:
        top = (MACROS + "\n".join(top_lines)).encode()
        deep = "\n".join(deep_lines).encode()
        (git_attributes.path / ".gitattributes").write_bytes(top)
        (git_attributes.path / "a").mkdir(exist_ok=True)
        (git_attributes.path / "a" / ".gitattributes").write_bytes(deep)
        files = {
            "": parse_attributes(top, ["x", "y"], is_top=True, warn=print),
            # A line below the top may set a macro of the top.
            "a": parse_attributes(deep, ["x", "y", "m", "n"], is_top=False, warn=print),
        }
        assert found_by_git(git_attributes, paths) == {
            (path, name): values_of(path.encode(), files).get(name, "unspecified")
            for path in paths
            for name in ("x", "y")
        }


@pytest.fixture(scope="module")
def git_attributes(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return Sandbox(tmp_path_factory.mktemp("attributes"))


def found_by_git(sandbox: Sandbox, paths: list[str]) -> dict[tuple[str, str], str]:
    stdin = b"".join(path.encode() + b"\0" for path in paths)
    fields = sandbox.git("check-attr", "-z", "--stdin", "x", "y", stdin=stdin).split("\0")
    return {
        (path, name): value
        for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False)
    }


@pytest.mark.parametrize(
    ("content", "path", "value"),
    [
        (b"\xef\xbb\xbf*.py x\n", b"a.py", "set"),
        (b'"a b.py" x=1\n', b"a b.py", "1"),
        (b'"\\303\\244.py" x\n', "ä.py".encode(), "set"),
        (b"??.py x\n", "ä.py".encode(), "set"),
        (b"*.py x\r\n", b"a.py", "set"),
        (b"  *.py\tx\n", b"deep/er/a.py", "set"),
        (b"/*.py x\n", b"deep/a.py", None),
        (b"dir/ x\n", b"dir/a.py", None),
        (b"!*.py x\n", b"a.py", None),
        (b"[[:digit:]]*.py x\n", b"1.py", "set"),
        (b"# *.py x\n", b"a.py", None),
        (b"*.py " + b"z" * 2_050 + b" x\n", b"a.py", None),
    ],
)
def test_lines_are_read_as_git_reads_them(content: bytes, path: bytes, value: str | None) -> None:
    files = {"": parse_attributes(content, ["x"], is_top=True, warn=print)}
    assert values_of(path, files).get("x") == value


def test_lines_beyond_the_limits_are_left_out_by_number_and_the_others_count() -> None:
    said: list[tuple[int, str]] = []
    lines = ["*.txt x", "?" * (PATTERN_WILDCARDS + 1) + " x", "*.py x=kept"]
    file = parse_attributes(
        "\n".join(lines).encode(), ["x"], is_top=True, warn=lambda *line: said.append(line)
    )
    assert said == [(2, "its pattern is with more than 64 wildcards")]
    assert values_of(b"a.py", {"": file}) == {"x": "kept"}


def test_more_lines_than_are_read_and_macros_of_macros_end(tmp_path: Path) -> None:
    said: list[tuple[int, str]] = []
    chain = "".join(f"[attr]m{n} m{n + 1} x\n" for n in range(5_000))
    content = f"{chain}[attr]m0 m0 m1\n* m0\n" + "*.py x\n" * 2_000
    file = parse_attributes(
        content.encode(), ["x"], is_top=True, warn=lambda *line: said.append(line)
    )
    assert len(file.rules) == PATTERNS
    assert len(file.macros) == 100
    assert values_of(b"a.py", {"": file})["x"] == "set"
    assert len(said) == 4_900 + 1_001


def test_a_range_that_ends_before_it_begins_is_an_invalid_pattern() -> None:
    with pytest.raises(ValueError, match="bad character range"):
        ignore_spec(["[z-a]"])
