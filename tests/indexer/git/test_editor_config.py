"""Which `charset` an `.editorconfig` gives a path."""

import pytest

from indexer.git.attributes import EditorConfig, charset_of, parse_editor_config
from indexer.globs import PATTERNS


def parsed(text: str) -> EditorConfig:
    def warn(line: int, problem: str) -> None:
        raise AssertionError((line, problem))

    return parse_editor_config(text.encode(), warn=warn)


@pytest.mark.parametrize(
    ("glob", "paths", "others"),
    [
        ("*", ["a", "lib/a.c"], []),
        ("*.c", ["a.c", "lib/deep/a.c"], ["a.cc"]),
        ("*.{c,h}", ["a.c", "lib/a.h"], ["a.x", "a.{c,h}"]),
        ("{a,{b,c}}.txt", ["a.txt", "b.txt", "x/c.txt"], ["d.txt"]),
        ("{single}.txt", ["{single}.txt"], ["single.txt"]),
        ("file{1..3}.txt", ["file1.txt", "file3.txt"], ["file4.txt"]),
        ("lib/*.c", ["lib/a.c"], ["lib/deep/a.c", "x/lib/a.c"]),
        ("lib/**.c", ["lib/a.c", "lib/deep/a.c"], ["a.c"]),
        ("lib/**", ["lib/a.c", "lib/deep/a"], ["a"]),
        ("**/old/*.c", ["old/a.c", "x/y/old/a.c"], ["old/x/a.c"]),
        ("/a.c", ["a.c"], ["lib/a.c"]),
        ("[ab].c", ["a.c"], ["c.c"]),
        ("[!ab].c", ["c.c"], ["a.c"]),
        ("a?.c", ["ab.c"], ["a/.c"]),
        ("!a.c", ["!a.c"], ["a.c", "b.c"]),
        ("größe.c", ["größe.c"], []),
    ],
)
def test_a_glob_covers_paths(glob: str, paths: list[str], others: list[str]) -> None:
    files = {"": parsed(f"[{glob}]\nindent_size = 4\ncharset = latin1\n")}
    assert {path: charset_of(path, files) for path in paths} == dict.fromkeys(paths, "latin1")
    assert {path: charset_of(path, files) for path in others} == dict.fromkeys(others, "")


def test_the_last_section_and_the_nearest_file_decide() -> None:
    files = {
        "": parsed("; old\n[*.c]\nCharset = LATIN1\n[x.c]\n# none\ncharset=utf-16le\n"),
        "lib": parsed("[*.c]\nindent_style = tab\n[new.c]\ncharset = unset\n"),
        "top": parsed("root = true\n[*.h]\ncharset = utf-16be\n"),
    }
    assert charset_of("a.c", files) == "latin1"
    assert charset_of("lib/x.c", files) == "utf-16le"
    assert charset_of("lib/new.c", files) == ""
    assert charset_of("top/a.c", files) == ""
    assert charset_of("top/deep/a.h", files) == "utf-16be"


def test_what_is_no_section_says_nothing() -> None:
    file = parsed("charset = latin1\n[a.c\ncharset = latin1\n[" + "a" * 2_000 + "]\ncharset=latin1")
    assert not file.charsets


@pytest.mark.parametrize(
    "glob",
    [
        "{0..999999999}",
        "{a,b}" * 8,
        "{a," * 200 + "b" + "}" * 200,
        "*a" * 70,
        "{" + "," * 900 + "}",
    ],
)
def test_a_glob_beyond_the_bounds_is_ignored_at_once(glob: str) -> None:
    warned: list[int] = []
    content = f"[{glob}]\ncharset = latin1\n".encode()
    file = parse_editor_config(content, warn=lambda line, _: warned.append(line))
    assert (file.charsets, warned) == ([], [1])


def test_a_file_has_only_so_many_patterns() -> None:
    warned: list[int] = []
    content = b"[{a,b}.c]\ncharset = latin1\n" * PATTERNS
    file = parse_editor_config(content, warn=lambda line, _: warned.append(line))
    assert len(file.charsets) == len(warned) == PATTERNS // 2
