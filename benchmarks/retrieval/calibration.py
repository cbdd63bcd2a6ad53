"""The confidence of answers to queries that have an answer and to queries that have none."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from string import ascii_lowercase, digits
from tomllib import loads

from aeterna_code_search.contract.search import Confidence, Mode
from benchmarks.retrieval.experiment import Copy, Version
from benchmarks.retrieval.index import Index
from benchmarks.retrieval.report import TITLES
from benchmarks.retrieval.sample import Half, halves
from central.search.confidence import assess, confidence_of

TOPICS = Path(__file__).with_name("other_topics.toml")
WORDS, IDENTIFIERS, OTHER = "nonsense words", "random identifiers", "other topics"
PER_REPOSITORY = 20
_SEED = "retrieval-confidence-1"
_ONSETS = [
    *"bcdfghjklmnp",
    "qu",
    *"rstvwxz",
    *("bl", "br", "dr", "fl", "gl", "gr", "kr", "pl", "pr", "skr", "spl", "tr", "zw"),
]
_NUCLEI = ["a", "e", "i", "o", "u", "ae", "oo", "ui", "y"]
_CODAS = ["", "", "b", "f", "g", "k", "lk", "m", "mp", "nx", "p", "rb", "rv", "sk", "v", "x", "zz"]

Counts = dict[tuple[Half, str], Counter[Confidence]]


def nonsense(repository: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, query) without an answer, the same of a repository each time."""
    random = Random(f"{_SEED} {repository}")  # noqa: S311
    for number in range(PER_REPOSITORY):
        yield WORDS, " ".join(_word(random) for _ in range(random.randint(1, 5)))
        yield IDENTIFIERS, _identifier(random, number)
    yield from ((OTHER, question) for question in questions())


@cache
def questions() -> list[str]:
    """Return the questions of other_topics.toml."""
    found: list[str] = loads(TOPICS.read_text(encoding="utf-8"))["questions"]
    return found


def report(versions: Iterable[Version]) -> Iterator[str]:
    """Yield the lines of a table for each half."""
    counts: Counts = {}
    for version in versions:
        count(version, counts)
    for half in halves(counts):
        yield from ("", f"### Confidence: {half.value.replace('_', '-')}", "")
        yield "| | queries | none | weak | strong |"
        yield "|---|---|---|---|---|"
        for (_, title), own in ((key, own) for key, own in counts.items() if key[0] is half):
            shares = (f"{own[level] / own.total():.1%}" for level in reversed(Confidence))
            yield f"| {title} | {own.total()} | {' | '.join(shares)} |"


def count(version: Version, counts: Counts) -> None:
    """Add the answers of one repository."""
    asked: list[tuple[str, str]] = [(TITLES[query.kind], query.text) for query in version.queries]
    if version.copy is Copy.PINNED:
        asked += nonsense(version.corpora[0].project)
    for title, text in asked:
        found = counts.setdefault((version.half, title), Counter())
        found[confidence(version.index, text)] += 1


def confidence(index: Index, text: str) -> Confidence:
    """Return the confidence of the service's answer."""
    prepared = index.prepare(text)
    return confidence_of(assess(index.hits(prepared), [prepared.asked], mode=Mode.HYBRID))


def _word(random: Random) -> str:
    return "".join(_syllable(random) for _ in range(random.randint(2, 3)))


def _syllable(random: Random) -> str:
    return "".join(random.choice(part) for part in (_ONSETS, _NUCLEI, _CODAS))


def _identifier(random: Random, number: int) -> str:
    """Return in turn snake case, camel case, letters and digits, and a dotted name."""
    parts: Sequence[str] = [_word(random) for _ in range(random.randint(2, 3))]
    forms = (
        "_".join(parts),
        parts[0] + "".join(part.title() for part in parts[1:]),
        "".join(random.choice(ascii_lowercase + digits) for _ in range(12)),
        f"{parts[0].title()}.{'_'.join(parts[1:])}",
    )
    return forms[number % len(forms)]
