"""How a document and a piece of code resemble each other, beside their embeddings. Pure.

Of the two alone, so that it does not matter which of them came first.
"""

from pathlib import PurePosixPath
from typing import Final, NamedTuple

from central.search.ranking.rules import path_traits
from indexer.lexical import tokenize

_LEAST_CHARACTERS: Final = 3

# Words that say nothing of a subject: of English, and of code in any language.
_COMMON_WORDS: Final = """
    about above after again all also always and another any are assert async await back because
    been before being below bool both but can cannot class code const could default def dict
    dataclass django does done each elif else even every except false final first float for from
    frozen function given had has have here how import int into its itself just kind lambda last
    left less like line list made make many may more most must name names never new none not nothing
    now null object off once one only other out over own path private public pytest raise raises
    return returns same self set should since slots some static str string such super test tests
    than that the their them then there these they this those time true tuple type typing under
    until use used uses value values very void was were what when where which while who whose will
    with within without would yet yield you your args kwargs
    """
_COMMON: Final = frozenset(_COMMON_WORDS.split())


class CodeWords(NamedTuple):
    """Words of a chunk, with its file's and its class's name, and of these names and its own."""

    text: frozenset[str]
    names: frozenset[str]
    is_test: bool


class Resemblance(NamedTuple):
    """`shared` words of the document are in the code, `named` of them in its names."""

    cosine: float
    shared: int
    named: int
    is_test: bool


def words_of(text: str) -> frozenset[str]:
    """The words that say something, in lower case, identifiers with their parts."""
    return frozenset(
        word
        for word in tokenize(text)
        if len(word) >= _LEAST_CHARACTERS and word not in _COMMON and word[0].isalpha()
    )


def code_words(*, path: str, container: str, name: str, text: str) -> CodeWords:
    """Of a chunk, or of any piece of a file."""
    head = f"{PurePosixPath(path).stem} {container}"
    return CodeWords(
        text=words_of(f"{head} {text}"),
        names=words_of(f"{head} {name}"),
        is_test="tests" in path_traits(path).kinds,
    )


def resemblance(cosine: float, prose: frozenset[str], code: CodeWords) -> Resemblance:
    """Of a document's words and a chunk's, with the cosine of their embeddings."""
    return Resemblance(cosine, len(prose & code.text), len(prose & code.names), code.is_test)
