"""`python -m benchmarks definitions`: how many of ctags' own definitions the extractor finds.

The units of universal-ctags are small inputs with the tags that ctags expects of them, many of them
from its bug reports. They are fetched, never kept here.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks import pinned, tables
from indexer.languages import detect
from indexer.pipeline.worker import extract_file
from indexer.records.files import Symbol
from scripts.local_service import temporary_workspace

OUTPUT = Path("build/definitions.json")

# The kinds that count, by ctags' letters (Elixir's tags have words): functions, methods, classes
# and their like, constants of enumerations. Not what is no definition of code (locals, parameters,
# labels, packages), nor what names no function or class (fields, variables, macros, other names of
# types), nor what is defined elsewhere (prototypes, Rust's `impl`). Go's constants are its
# enumerations.
COUNTED: Final = {
    "c": "fgsue",
    "cxx": "fcgsue",
    "elixir": "function callback delegate guard macro module operator protocol",
    "go": "fsintc",
    "java": "aceigm",
    "javascript": "fcmgGS",
    "kotlin": "icom",
    "lua": "f",
    "php": "cfit",
    "python": "cfm",
    "ruby": "cfmS",
    "rust": "nsifgeP",
    "typescript": "fcigemnG",
}
# What changes the meaning of tags: references, qualified names, another language, own patterns,
# macros that are defined on the command line.
_NOT_PLAIN = re.compile(
    r"extras?=\S*[+,}]?(?:r|q|\{reference|\{qualified)|-force|regex|langdef|=@|map|^-D ",
    re.MULTILINE,
)
_NO_NAME = re.compile("__anon|anonymous|anonFunc|Anonymous|<|.*\N{REPLACEMENT CHARACTER}")
_TAG = re.compile(r"([^\t]+)\tinput[^\t]*\t(?:/\^?(.*?)\$?/|(\d+));\"\t(\w+)(.*)")
# What is written in several ways: white space, escapes, PHP's sign of variables.
_SPELLING = re.compile(r"\\?\s|\\t|\\x(..)|\\u\{0*(\w+)\}|\\u([\da-fA-F]{4})|^\$(?=\w)")
# Tags that say what is not so, by unit; "" stands for all of its tags.
_WRONG: Final = {
    # What the language does not accept.
    "default-literals.d": "",  # parameters with a default value, in Java
    "infinite_loop.java.d": "",  # it ends in the head of a method
    "ts-enum-white.d": "",  # constants without commas between them
    "github-issue-4313.d": "",  # `if` without a statement
    "elixir-sign-operators.d": ". ~~~",  # a call; an operator of one operand
    "elixir-word-operators.d": "not when",  # an operator of one operand; a guard
    "js-arraylist.d": "class",  # a keyword
    # What is no function or class: what a function gives, strings and numbers, the prototypes of
    # classes that are elsewhere.
    "js-parenthesis-rvalue.d": "e1 e2 e3",
    "github-issue-4421.d": "constructor",
    "jsFunc_tutorial.js.d": "livesIn price",
    "bug1950327.js.d": "Different TabChrome",
    "github-issue-3641.d": "Foo",
    "simple.js.d": "Database",
    "js-null-tag-for-broken-input3.d": "a",
}
_REPOSITORY = pinned.PinnedRepository(
    "ctags",
    "https://github.com/universal-ctags/ctags",
    "069715e146372ce5513e1d51bff5543fc1e55150",
    tuple(f"Units/parser-{name}.r" for name in COUNTED),
)


class Tag(NamedTuple):
    """A definition that ctags expects, with the lines on which its pattern stands."""

    name: str
    kind: str
    lines: tuple[int, ...]


def main(arguments: Sequence[str]) -> None:
    """Compare, print the share of each language, write build/definitions.json."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks definitions", description=__doc__)
    parser.add_argument("--repositories", type=Path, help="clones, for a machine without network")
    parser.add_argument("--only", action="append", help="a language's name; may be repeated")
    parser.add_argument("--verbose", action="store_true", help="print each one that is missing")
    options = parser.parse_args(arguments)
    with temporary_workspace("aeterna-bench-definitions-") as workspace:
        units = pinned.lay_out(
            _REPOSITORY, workspace, clones=options.repositories, cache=workspace / "cache"
        )
        figures = [
            figure
            for name in options.only or COUNTED
            for figure in _figures(name, units / f"Units/parser-{name}.r", options.verbose)
        ]
    tables.show(figures, OUTPUT)


def _figures(language: str, units: Path, verbose: bool) -> Iterator[tables.Figure]:
    named = missing = further = 0
    for path, tags in _inputs(language, units):
        content = path.read_bytes()
        record = extract_file(path=path.name, mode="100644", blob="0" * 40, content=content)
        missed, unknown = _compare(tags, record.symbols)
        named, missing, further = named + len(tags), missing + len(missed), further + len(unknown)
        for tag in missed if verbose else ():
            line = content.decode("utf-8", "replace").splitlines()[tag.lines[0] - 1].strip()
            print(f"{language} {path.parent.name}:{tag.lines[0]} {tag.kind} {tag.name}: {line}")
    yield tables.Figure(
        f"{language}: {named - missing:,} of {named:,} found; {further:,} names beside them",
        100 * (named - missing) / max(1, named),
        "%",
    )


def _inputs(language: str, units: Path) -> Iterator[tuple[Path, list[Tag]]]:
    """The inputs with plain tags, that is of one file and without options that change them."""
    for unit in sorted(units.glob("*.d")):
        options, expected = unit / "args.ctags", unit / "expected.tags"
        inputs = list(unit.glob("input*"))
        plain = not options.exists() or not _NOT_PLAIN.search(options.read_text("utf-8"))
        plain = plain and expected.exists() and len(inputs) == 1
        if plain and _detected(inputs[0]) == language:
            yield inputs[0], list(_tags(language, inputs[0], expected))


def _detected(source: Path) -> str:
    language = detect(source.name, source.read_bytes()).name
    return "cxx" if language == "cpp" else language


def _tags(language: str, source: Path, expected: Path) -> Iterator[Tag]:
    # Not as text: what else separates lines in Python is white space within these.
    lines, rows = (
        file.read_bytes().decode("utf-8", "replace").split("\n") for file in (source, expected)
    )
    for row in sorted(set(rows)):
        match = _TAG.fullmatch(row)
        if match is None or match[4] not in _kinds(language) or _NO_NAME.match(match[1]):
            continue
        wrong = _WRONG.get(source.parent.name)
        if wrong is not None and (not wrong or match[1] in wrong.split()):
            continue
        if (roles := re.search(r"roles:(\w+)", match[5])) and roles[1] != "def":
            continue
        pattern = re.sub(r"\\([\\/$])", r"\1", match[2] or "")
        found = [number for number, line in enumerate(lines, 1) if line.startswith(pattern)]
        if places := ([int(match[3])] if match[3] else found):
            yield Tag(match[1], match[4], tuple(places))


def _kinds(language: str) -> Sequence[str]:
    counted = COUNTED[language]
    return counted.split() if " " in counted else counted


def _plain(name: str) -> str:
    """Return a name without what is spelled in several ways: `operator ==`, `~ Class`."""
    plain = _SPELLING.sub(_character, name)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3] or "20"
    return chr(int(code, 16)).strip()


def _compare(tags: list[Tag], symbols: Sequence[Symbol]) -> tuple[list[Tag], list[Symbol]]:
    """Return the tags without a definition, and the definitions without a tag.

    A definition is the tag's if it has the name and the line stands in it; each is used once.
    """
    left = sorted(symbols, key=lambda one: -one.span.start)
    missed = []
    for tag in tags:
        own = (one for one in left if _plain(one.name) == _plain(tag.name) and _holds(one, tag))
        if found := next(own, None):
            left.remove(found)
        else:
            missed.append(tag)
    return missed, left


def _holds(symbol: Symbol, tag: Tag) -> bool:
    return any(symbol.span.start <= line <= symbol.span.end for line in tag.lines)
