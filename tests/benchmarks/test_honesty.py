"""Call sites as other parsers see them, and whether a record accounts for each."""

import builtins
from pathlib import Path

import pytest

from benchmarks.honesty.accounting import Account, Tally, accounts, tally
from benchmarks.honesty.call_sites import CallSite, call_sites
from indexer.pipeline.worker import extract_file

EXAMPLES = Path(__file__).parents[2] / "examples" / "acme"


@pytest.mark.parametrize(
    ("language", "text", "sites"),
    [
        ("python", "é = a.b(c())\n", {("b", 1, 6, "a"), ("c", 1, 8, "c")}),
        ("typescript", "new A<T>(x)!.go()\n", {("A", 1, 4, "A"), ("go", 1, 13, "")}),
        ("go", "package p\nfunc f() { x.Run(1) }\n", {("Run", 2, 13, "x")}),
        ("java", "class A { void f() { b.c().d(); } }", {("c", 1, 23, "b"), ("d", 1, 27, "")}),
        ("ruby", "a&.b(1)\n", {("b", 1, 3, "a")}),
        ("php", "<?php \\f(); $g(); A::h();", {
            ("f", 1, 7, "f"), ("$g", 1, 12, "$g"), ("h", 1, 21, "A"),
        }),
        ("elixir", "@spec f(t) :: t\ndef f(x) do\n  g(x)\nend\n", {
            ("def", 2, 0, "def"), ("g", 3, 2, "g"),
        }),
    ],
)  # fmt: skip
def test_a_call_site_is_its_name_and_what_stands_before(
    language: str, text: str, sites: set[tuple[str, int, int, str]]
) -> None:
    assert set(call_sites(language, text)) == {CallSite(*one) for one in sites}


def test_each_call_site_of_a_file_has_an_account() -> None:
    text = (
        "from kit import sign\n\ndef run(callback):\n    other = -callback\n"
        "    sign(print(callback(other())))\n"
    )
    record = extract_file(path="a.py", mode="100644", blob="", content=text.encode())
    found = {site.name: account for site, account in accounts(record, text)}
    assert found == {
        "sign": Account.REFERENCE,
        "print": Account.LANGUAGE,
        "callback": Account.REFERENCE,
        "other": Account.VARIABLE,
    }


def test_what_the_record_has_not_is_accounted_for_by_nothing() -> None:
    text = "from kit import sign\nsign()\n"
    record = extract_file(path="a.py", mode="100644", blob="", content=b"from kit import sign\n")
    assert [account for _, account in accounts(record, text)] == [Account.NOTHING]


# Members of values of the language's own types, which have no members of others.
OF_THE_LANGUAGE = {
    "python": {
        name for one in vars(builtins).values() if isinstance(one, type) for name in dir(one)
    },
    "java": {"equals", "isEmpty", "length", "startsWith", "substring"},
    "tsx": {"map"},
    "typescript": {"exec", "forEach", "replace", "reverse", "test"},
}


def test_each_call_site_of_the_example_repositories_has_an_account() -> None:
    """Other parsers see no call that is neither a reference nor one of the language."""
    tallies: dict[str, Tally] = {}
    tally(EXAMPLES, tallies)
    assert sum(one.sites for one in tallies.values()) > 1_500
    for language, one in tallies.items():
        names = {example.rpartition(" ")[2] for example in one.examples}
        assert names <= OF_THE_LANGUAGE.get(language, set()), language


def test_a_name_in_what_no_grammar_understands_has_no_complete_callers(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def lost(): ...\ndef kept(): ...\n")
    (tmp_path / "b.py").write_text("class (x lost(1\n")
    tallies: dict[str, Tally] = {}
    tally(tmp_path, tallies)
    assert (tallies["python"].names, tallies["python"].incomplete_names) == (2, 1)
