"""No match is lost: what RE2 finds in a text, the text's trigrams satisfy."""

import time

import numpy as np
import pytest
import re2
from hypothesis import example, given
from hypothesis import strategies as st

from central.corpus.trigrams.hashes import content_hashes, trigram_hashes
from central.corpus.trigrams.regex import required_texts, required_trigrams
from central.corpus.trigrams.tree import (
    EVERYTHING,
    All,
    Any,
    Everything,
    Tree,
    Trigram,
    literal_trigrams,
    tree_hashes,
)
from central.query.patterns import with_line_ends
from tests.central.corpus.trigrams.scan import satisfies
from tests.property_settings import examples

LETTERS = "abcksKS\u212a\u017f\u00e9\u00c9_1 \n\r"


def admits(tree: Tree, text: str) -> bool:
    return satisfies(tree, set(content_hashes(text).tolist()))


def compiled(pattern: str) -> "re2._Regexp | None":
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error:
        return None


ATOMS = st.one_of(
    st.sampled_from([*LETTERS.replace("\n", ""), "ab", "abc", "kss", ".", r"\b"]),
    st.sampled_from(["^", "$", "^", "$", r"\A", r"\z", r"\n", r"\r", "^a", "c$", "(?m)", "(?-m)"]),
    st.sampled_from([r"\d", r"\w", r"\S", r"\pL", r"\p{Lu}", r"\P{^Greek}", r"\n", r"\x61"]),
    st.sampled_from(
        [r"\x{212A}", r"\141", r"\Qab.c\E", r"\Q(\E", r"\.", r"\_", "(?i)", "(?s)", ""]
    ),
    st.sampled_from(
        ["[ab]", "[^a]", "[a-c]", "[k\u00e9]", "[[:alpha:]]", r"[\d_]", "[]a]", "[^]a]"]
    ),
    st.sampled_from(["[a-]", r"[\x61-c]", "[[:^space:]k]", "[[a]", "(?U)", "(?i-s)", "{", "a{,2}"]),
)
REPEATS = st.sampled_from(
    ["", "", "*", "+", "?", "*?", "+?", "{2}", "{0}", "{1,}", "{0,2}", "{2,5}?"]
)
GROUPS = st.sampled_from(["({})", "(?:{})", "(?i:{})", "(?P<n>{})", "(?<m>{})", "(?-i:{})"])
PATTERNS = st.recursive(
    st.tuples(ATOMS, REPEATS).map("".join),
    lambda parts: st.one_of(
        st.lists(parts, min_size=1, max_size=4).map("".join),
        st.lists(parts, min_size=2, max_size=3).map("|".join),
        st.tuples(GROUPS, parts, REPEATS).map(lambda made: made[0].format(made[1]) + made[2]),
    ),
    max_leaves=8,
)
NOISE = st.text("ab(|)*+?[]^$\\QEdwbsnpCLx{}0,2:iPU<>-.", max_size=12)
TEXTS = st.text(LETTERS, max_size=40)


@examples(600)
@given(
    pattern=st.one_of(PATTERNS, NOISE), text=TEXTS, prefix=st.sampled_from(["", "(?m)", "(?im)"])
)
@example(pattern="abc", text="xABc", prefix="(?i)")
@example(pattern=r"a\Q\E*bc", text="bc", prefix="")
@example(pattern=r"(\n?^)+a$", text="\n\na", prefix="(?m)")
@example(pattern="a$\\s^c", text="a\nc", prefix="(?m)")
def test_what_re2_finds_is_a_candidate(pattern: str, text: str, prefix: str) -> None:
    for written in (prefix + pattern, with_line_ends(prefix + pattern)):
        expression = compiled(written)
        if expression and expression.search(text):
            assert admits(required_trigrams(written), text)
            texts = required_texts(written)
            assert not texts or any(one in f"\n{text}\n" for one in texts)


@examples(300)
@given(
    pattern=st.one_of(PATTERNS, NOISE), text=TEXTS, prefix=st.sampled_from(["", "(?m)", "(?im)"])
)
@example(pattern=r"[]$]a$|\Q$\E[[:alpha:]$]\$$", text="$a$$", prefix="(?m)")
def test_line_ends_change_nothing_else(pattern: str, text: str, prefix: str) -> None:
    text = text.replace("\r", "")
    expression, changed = compiled(prefix + pattern), compiled(with_line_ends(prefix + pattern))
    if expression:
        assert changed
        assert [one.span() for one in changed.finditer(text)] == [
            one.span() for one in expression.finditer(text)
        ]


@examples(300)
@given(
    before=TEXTS,
    parts=st.lists(st.text(LETTERS, min_size=1, max_size=6), min_size=1, max_size=5),
    after=TEXTS,
)
def test_a_text_that_a_pattern_was_made_for_is_a_candidate(
    before: str, parts: list[str], after: str
) -> None:
    pattern = "(?is)" + ".*".join(f"(?:{re2.escape(part)}|no)" for part in parts)
    text = before + "x\n".join(part.swapcase() for part in parts) + after
    assert re2.search(pattern, text)
    assert admits(required_trigrams(pattern), text)


@given(text=st.text(max_size=60), around=st.text(max_size=10))
def test_a_literal_is_found_in_any_case(text: str, around: str) -> None:
    tree = literal_trigrams(text)
    assert admits(tree, around + text + around)
    assert admits(
        tree, around + "".join(one.swapcase() for one in text if len(one.swapcase()) == 1)
    ) or any(len(one.swapcase()) > 1 for one in text)
    assert len(list(tree_hashes(tree))) <= 16


def trigram(text: str) -> int:
    return int(trigram_hashes(text)[0])


def shown(tree: Tree) -> object:
    match tree:
        case Everything():
            return "everything"
        case Trigram(value):
            return value
        case All(parts):
            return ("all", frozenset(map(shown, parts)))
        case Any(parts):
            return ("any", frozenset(map(shown, parts)))


@pytest.mark.parametrize(
    ("pattern", "required"),
    [
        ("abc", trigram("abc")),
        ("(?i)ABC", trigram("abc")),
        ("ab", "everything"),
        ("abcd", ("all", frozenset([trigram("abc"), trigram("bcd")]))),
        ("abc|def", ("any", frozenset([trigram("abc"), trigram("def")]))),
        ("abc.*def", ("all", frozenset([trigram("abc"), trigram("def")]))),
        ("a[bc]d", ("any", frozenset([trigram("abd"), trigram("acd")]))),
        ("(?:abc)+", trigram("abc")),
        ("(?:abc)*", "everything"),
        ("abc(?:def)?", trigram("abc")),
        ("(?:abc){3}", ("all", frozenset([trigram("abc"), trigram("bca"), trigram("cab")]))),
        ("ab+c", "everything"),
        ("(ab)+(ca)+", ("all", frozenset([trigram("abc"), trigram("bca")]))),
        (r"\babc\b|^$", "everything"),
        ("^ab", trigram("\nab")),
        ("ab$", trigram("ab\n")),
        (r"\Aa\z", trigram("\na\n")),
        (".*^ab", trigram("\nab")),
        ("a\n^b", trigram("a\nb")),
        (r"a$\n^b", trigram("a\nb")),
        ("(?:^|x)ab", ("any", frozenset([trigram("\nab"), trigram("xab")]))),
        ("^$ab", trigram("\nab")),
        (r"\x{D800}abc", "everything"),
        (r"\Qa.b\E", trigram("a.b")),
        ("[^a]bcd", trigram("bcd")),
        ("abc|", "everything"),
        ("", "everything"),
        (r"\1abc", "everything"),
        ("(abc", "everything"),
    ],
)
def test_the_tree_of_a_pattern(pattern: str, required: object) -> None:
    assert shown(required_trigrams(pattern)) == required


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        (r"^\s*Interested", {"Interested"}),
        (r"[A-Z]\w+this$", {"this\n"}),
        (r"(disk|KIND)\(", {"disk(", "KIND("}),
        (r"\w+Insec\w*x(y|z)", {"Insec"}),
        (r"(?i)abcd", set()),
        (r"(?P<i>abcd)+", {"abcd"}),
        (r"abcd|x", set()),
        (r"\w+", set()),
    ],
)
def test_texts_that_a_match_contains(pattern: str, texts: set[str]) -> None:
    assert required_texts(pattern) == texts


def test_a_long_literal_requires_trigrams_of_its_whole_length() -> None:
    text = "".join(chr(0x61 + n % 26) + str(n) for n in range(200))
    hashes = set(tree_hashes(literal_trigrams(text)))
    assert len(hashes) == 16
    assert hashes & set(trigram_hashes(text[:60]).tolist())
    assert hashes & set(trigram_hashes(text[-60:]).tolist())


@pytest.mark.parametrize(
    "pattern",
    [
        "(" * 200 + ")" * 200,
        "(?:" * 200 + "abc" + ")" * 200,
        "(?:[ab][ab])+" * 300,
        "[abcd]" * 600,
        "|".join(f"word{n}" for n in range(450)),
        "(?:(?:a{9}){9}){9}",
        "abc.*" * 800,
        "abc" * 1_300,
        "(?:" * 6 + "[ab]b?" + "){3}" * 6,
        "(?:ab?c|d[efg]h)" * 250,
    ],
)
def test_a_large_pattern_takes_little_time_and_gives_a_small_tree(pattern: str) -> None:
    started = time.process_time()
    tree = required_trigrams(pattern)
    assert time.process_time() - started < 2
    assert len(list(tree_hashes(tree))) <= 168


def test_many_alternatives_still_require_something() -> None:
    tree = required_trigrams("|".join(f"alternative_{n}" for n in range(100)))
    assert tree != EVERYTHING
    assert admits(tree, "alternative_77")
    assert not admits(tree, "alternating")
    assert not np.array_equal(trigram_hashes("a"), trigram_hashes("abc"))
