"""What people read is in British spelling. Names in code, and what others define, are not text."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.test_links import listed

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("aeterna_code_search", "central", "indexer")
# Each American spelling with the British one.
SPELLINGS = {
    "analyz": "analys",
    "authoriz": "authoris",
    "behavior": "behaviour",
    "canceled": "cancelled",
    "canceling": "cancelling",
    "catalog": "catalogue",
    "categoriz": "categoris",
    "center": "centre",
    "color": "colour",
    "customiz": "customis",
    "defense": "defence",
    "favor": "favour",
    "finaliz": "finalis",
    "fulfill": "fulfil",
    "generaliz": "generalis",
    "gray": "grey",
    "honor": "honour",
    "initializ": "initialis",
    "judgment": "judgement",
    "labeled": "labelled",
    "license": "licence",
    "maximiz": "maximis",
    "minimiz": "minimis",
    "modeled": "modelled",
    "neighbor": "neighbour",
    "normaliz": "normalis",
    "optimiz": "optimis",
    "organiz": "organis",
    "prioritiz": "prioritis",
    "randomiz": "randomis",
    "recogniz": "recognis",
    "serializ": "serialis",
    "specializ": "specialis",
    "summariz": "summaris",
    "synchroniz": "synchronis",
    "traveled": "travelled",
    "utiliz": "utilis",
    "visualiz": "visualis",
}
# A word by itself: not part of a name, an option, a path or a setting.
_BESIDE = r"\w\-./_=<>{}$#:*\"'`%@"
WORD = re.compile(
    rf"(?<![{_BESIDE}])(?:{'|'.join(SPELLINGS)})(?!ue)[a-z]*(?![\w\-/=<{{\[(\"`]|\.\w|: [\"${{])",
    re.IGNORECASE,
)
# A header of HTTP, a class of Django REST framework, and a verb.
_THEIRS = re.compile(r"Authorization|\w*serializers?|licensed", re.IGNORECASE)
_NO_PROSE = re.compile(
    r"^ *```.*?^ *```|<!--.*?-->|`[^`\n]*`|\]\([^)\s]+\)", re.MULTILINE | re.DOTALL
)
_NO_TEXT = re.compile(r"{%.*?%}|{{.*?}}|<script.*?</script>|<style.*?</style>|<[^>]*>", re.DOTALL)
_FRONT_MATTER = re.compile(r"\A---\n.*?^---$", re.MULTILINE | re.DOTALL)
_SQL = re.compile(r"%\(|\b(?:SELECT|TABLE|CONFLICT|VACUUM)\b")
# Names that languages define, messages of others, and SQL.
_OF_OTHERS = ("indexer/languages/", "indexer/store/edge/shard.py", "indexer/store/pgvector/")
_NOT_OURS = ("examples/", "benchmarks/graph/", "tests/")


def prose(markdown: str) -> str:
    """Markdown without code, comments and targets of links."""
    return _NO_PROSE.sub(" ", _FRONT_MATTER.sub("", markdown))


def page_text(template: str) -> str:
    """What a template shows, without tags."""
    return _NO_TEXT.sub(" ", template)


def sentences(source: str) -> Iterator[str]:
    """Strings of a module that are text: of several words, and no SQL."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = re.sub(r"`[^`]*`", " ", node.value)
            if len(text.split()) > 2 and not _SQL.search(text):
                yield text


def american(text: str) -> list[str]:
    return [word for word in WORD.findall(text) if not _THEIRS.fullmatch(word)]


def test_the_words_are_found_in_text_only() -> None:
    words = ["organization", "color", "Organizations"]
    assert american("Your organization's color. Organizations") == words
    assert american("--organization, AETERNA_ORGANIZATION, optimize_index, catalogue") == []
    assert american(prose("`organization` [organization](color.md)")) == ["organization"]
    assert american(page_text("<p class=color>{{ organization }} gray</p>")) == ["gray"]


def test_documents() -> None:
    found = {
        str(path.relative_to(ROOT)): words
        for path in listed("*.md")
        if not str(path.relative_to(ROOT)).startswith(_NOT_OURS)
        and (words := american(prose(path.read_text(encoding="utf-8"))))
    }
    assert found == {}


def test_pages() -> None:
    found = {
        str(path.relative_to(ROOT)): words
        for path in listed("*.html")
        if not str(path.relative_to(ROOT)).startswith(_NOT_OURS)
        and (words := american(page_text(path.read_text(encoding="utf-8"))))
    }
    assert found == {}


def test_messages() -> None:
    found = {
        str(path.relative_to(ROOT)): words
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if "migrations" not in path.parts
        and not str(path.relative_to(ROOT)).startswith(_OF_OTHERS)
        and (words := [one for text in sentences(path.read_text()) for one in american(text)])
    }
    assert found == {}
