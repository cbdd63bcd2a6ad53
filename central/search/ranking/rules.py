"""The ranking rules with their weights, what they look at, and the traits of a path. Pure.

To add a rule, write a function from QueryContext and Candidate to 0.0-1.0 and give it a row in
BOOSTS or PENALTIES. For a kind of path, add a pattern to `_KINDS` and a row in PATH_PENALTIES: it
orders exact searches too. `central.search.query` has the words of a query that ask for a kind.
WEIGHTS holds every weight by name, so that an ablation can switch each rule off.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

from central.search.candidates import Candidate
from central.search.query import ParsedQuery, SymbolName, casefolded, name_parts, stem

_KINDS = {
    "tests": re.compile(
        r"(?:^|/)(?:tests?|__tests__|specs?|testing|testdata|fixtures|__mocks__|mocks)/"
        r"|(?:^|/)(?:test_|conftest\.)[^/]*$"
        r"|(?:_test|_tests|_spec|\.test|\.spec|\.stories)\.\w+$"
        r"|(?:Tests?|Spec|Suite|IT)\.(?:java|kt|scala|cs|swift|php|groovy)$"
    ),
    "examples": re.compile(r"(?:^|/)(?:_?examples?|samples?|demos?|playground|benchmarks?)/", re.I),
    "docs": re.compile(r"(?:^|/)docs?(?:_src)?/|\.(?:md|mdx|rst|adoc|txt)$", re.I),
    "config": re.compile(
        r"\.(?:ya?ml|toml|json|ini|cfg|conf|properties|lock|xml|gradle|env)$"
        r"|(?:^|/)(?:Dockerfile|Makefile|\.github/|deploy/|migrations/)",
        re.I,
    ),
    "generated": re.compile(
        r"(?:^|/)(?:generated|gen|dist|build)/|_pb2|\.pb\.|\.gen\.|\.min\.", re.I
    ),
    "vendored": re.compile(r"(?:^|/)(?:vendor|vendored|third_?party|node_modules|external)/", re.I),
    "legacy": re.compile(r"(?:^|/)_?(?:legacy|deprecated)(?:/|\.)", re.I),
    "declarations": re.compile(r"\.d\.[cm]?ts$|\.pyi$"),
}


class PathTraits(NamedTuple):
    """`stem`: stems of the file name's words; `kinds`: what the path penalties apply to."""

    stem: tuple[str, ...]
    kinds: frozenset[str]


@lru_cache(maxsize=65536)
def path_traits(path: str) -> PathTraits:
    """Return the traits of a POSIX path."""
    file = path.rpartition("/")[2]
    name = file.split(".", 1)[0] or file
    return PathTraits(
        stem=stems_of(name),
        kinds=frozenset(kind for kind, pattern in _KINDS.items() if pattern.search(path)),
    )


_PREFIX_CHARACTERS = 4  # "auth" is "authentication"; shorter prefixes mean nothing


class QueryContext:
    """A query, with its cached overlaps with names and paths.

    `importance` is the weight of each of the query's words, in any unit. `exact` are the names
    that candidates define, `outermost` those outside of a class, `located` those whose first line
    is known to be in a candidate.
    """

    def __init__(
        self, query: ParsedQuery, importance: Sequence[float], candidates: Iterable[Candidate] = ()
    ) -> None:
        self.query = query
        named = (
            [(candidate, names_of(candidate.name)) for candidate in candidates]
            if query.symbols
            else []
        )
        self.located = {name for candidate, _ in named for name in candidate.defines}
        self.exact = self.located.union(*(names for _, names in named))
        self.outermost = {
            name for candidate, names in named if not candidate.container for name in names
        }
        total = sum(importance) or 1.0
        self._importance = [value / total for value in importance]
        self._exact = {word: index for index, word in enumerate(query.words)}
        self._prefix_query = {
            word[:_PREFIX_CHARACTERS]: index
            for index, word in enumerate(query.words)
            if len(word) >= _PREFIX_CHARACTERS
        }
        self._shares: dict[tuple[str, ...], float] = {}
        self._overlaps: dict[str, float] = {}

    def overlap(self, parts: tuple[str, ...]) -> float:
        """Return the share of the query's words, by importance, that are in `parts`.

        It is reduced by the parts that are not in the query.
        """
        known = self._shares.get(parts)
        if known is None:
            known = self._shares[parts] = self._compare(parts)
        return known

    def overlap_of(self, name: str) -> float:
        """Return the overlap of a name; of several names in one chunk, the best."""
        known = self._overlaps.get(name)
        if known is None:
            known = max(self.overlap(stems_of(part)) for part in names_of(name))
            self._overlaps[name] = known
        return known

    def _compare(self, parts: tuple[str, ...]) -> float:
        hits = [index for part in parts if (index := self._word(part)) >= 0]
        if not hits:
            return 0.0
        share = sum(self._importance[index] for index in set(hits))
        return share * sqrt(len(hits) / len(parts))

    def _word(self, part: str) -> int:
        """Return the index of the word that `part` equals or shares a prefix with, or -1."""
        index = self._exact.get(part, -1)
        if index >= 0 or len(part) < _PREFIX_CHARACTERS:
            return index
        index = self._prefix_query.get(part[:_PREFIX_CHARACTERS], -1)
        if index < 0:
            return -1
        word = self.query.words[index]
        return index if part.startswith(word) or word.startswith(part) else -1


def names_of(name: str) -> tuple[str, ...]:
    """Return the definitions that a chunk is named after: several, if they are small."""
    return tuple(name.split(", "))


@lru_cache(maxsize=65536)
def stems_of(name: str) -> tuple[str, ...]:
    return tuple(stem(part) for part in name_parts(name))


_TINY_LINES = 2
# Shares of what a definition scores that is written, qualified and placed as the query says.
_OTHER_CASE = 0.9
_OTHER_SPELLING = 0.5
_BESIDE_EXACT = 0.4  # another spelling, where a candidate defines the name as written
_OTHER_CONTAINER = 0.6
_OTHER_TYPE = 0.6
_NESTED = 0.5  # in a class, where the query names none and another is in none
_WITHOUT_FIRST_LINE = 0.8  # a later piece of a long definition
_MINOR = 0.4  # not exported, or an overload


def definition(context: QueryContext, candidate: Candidate) -> float:
    """Score a chunk that defines a symbol of a query made of identifiers only."""
    return 0.0 if context.query.has_prose else _defined(context, candidate)


def mention(context: QueryContext, candidate: Candidate) -> float:
    """Score a chunk that defines a symbol named in prose: the query may mean its callers."""
    return _defined(context, candidate) if context.query.has_prose else 0.0


def name_words(context: QueryContext, candidate: Candidate) -> float:
    """Score a definition whose name consists of the query's words."""
    return context.overlap_of(candidate.name) if candidate.name else 0.0


def container(context: QueryContext, candidate: Candidate) -> float:
    """Score a chunk whose enclosing class the query names, or consists of its words."""
    if not candidate.container:
        return 0.0
    if context.query.symbols:
        name = casefolded(candidate.container.rpartition(".")[2])
        if any(
            name in (casefolded(s.name), casefolded(s.container)) for s in context.query.symbols
        ):
            return 1.0
    return context.overlap_of(candidate.container)


def file_stem(context: QueryContext, candidate: Candidate) -> float:
    """Score a file whose name consists of the query's words."""
    return context.overlap(path_traits(candidate.path).stem)


def project(context: QueryContext, candidate: Candidate) -> float:
    """Score a repository whose name consists of the query's words."""
    return context.overlap_of(candidate.project)


def tiny(_context: QueryContext, candidate: Candidate) -> float:
    """Score a chunk of one or two lines."""
    return 1.0 if candidate.end_line - candidate.start_line < _TINY_LINES else 0.0


def reexport(_context: QueryContext, candidate: Candidate) -> float:
    """Score a file that imports and exports what others define."""
    return 1.0 if candidate.is_reexport else 0.0


def coherence(candidates: Sequence[Candidate], scores: Sequence[float]) -> list[float]:
    """Score the best chunk of each file by the file's other hits; the highest is 1.0.

    `scores` are those after all other rules.
    """
    best: dict[tuple[int, str], int] = {}
    total: dict[tuple[int, str], float] = {}
    for index, candidate in enumerate(candidates):
        file = candidate.file
        total[file] = total.get(file, 0.0) + scores[index]
        if file not in best or scores[index] > scores[best[file]]:
            best[file] = index
    others = {file: total[file] - scores[index] for file, index in best.items()}
    most = max(others.values(), default=0.0)
    coherence_bonus = [0.0] * len(candidates)
    if most > 0.0:
        for file, index in best.items():
            coherence_bonus[index] = others[file] / most
    return coherence_bonus


def _defined(context: QueryContext, candidate: Candidate) -> float:
    symbols = context.query.symbols
    if not symbols or not (candidate.name or candidate.defines):
        return 0.0
    best = max(_defines(context, candidate, symbol) for symbol in symbols)
    return 0.7 * best if candidate.type == "comment" else best


def _defines(context: QueryContext, candidate: Candidate, symbol: SymbolName) -> float:
    names = (*names_of(candidate.name), *candidate.defines)
    value = max(_same_name(name, symbol.name) for name in names)
    if not value:
        return 0.0
    if value < 1.0 and symbol.name in context.exact:
        value *= _BESIDE_EXACT
    if symbol.container:
        if casefolded(symbol.container) not in _possible_qualifiers(candidate):
            value *= _OTHER_CONTAINER
    elif candidate.container and symbol.name in context.outermost:
        value *= _NESTED
    if symbol.types and candidate.type not in symbol.types:
        value *= _OTHER_TYPE
    return value * _completeness(context, candidate, symbol.name) * symbol.strength


def _completeness(context: QueryContext, candidate: Candidate, name: str) -> float:
    if name in candidate.minor:
        return _MINOR
    has_first_line = name in candidate.defines or name not in context.located
    return 1.0 if has_first_line else _WITHOUT_FIRST_LINE


def _possible_qualifiers(candidate: Candidate) -> set[str]:
    """Return what a qualifier may name: an enclosing class, the module or a directory."""
    return {
        *(casefolded(part) for part in candidate.container.split(".")),
        *(casefolded(part.split(".", 1)[0]) for part in candidate.path.split("/")),
    }


def _same_name(name: str, wanted: str) -> float:
    if name == wanted:
        return 1.0
    if casefolded(name) != casefolded(wanted):
        return 0.0
    return _OTHER_CASE if name.lower() == wanted.lower() else _OTHER_SPELLING


class Rule(NamedTuple):
    """A named rule; `weight` is a share of the best base score or, in a penalty, of the score."""

    name: str
    function: Callable[[QueryContext, Candidate], float]
    weight: float


# Chosen on the development half of benchmarks/retrieval, whose README lists the effect of each
# on both halves. tests/e2e/test_ranking.py keeps the quality from falling.
BOOSTS = (
    Rule("definition", definition, 2.0),
    Rule("mention", mention, 0.25),
    Rule("name_words", name_words, 0.75),
    Rule("container", container, 0.5),
    Rule("file_stem", file_stem, 0.6),
    Rule("project", project, 0.5),
)
PENALTIES = (Rule("tiny", tiny, 0.1), Rule("reexport", reexport, 0.4))
# By kind of path; a query that asks for a kind is exempt.
PATH_PENALTIES: Mapping[str, float] = {
    "tests": 0.8,
    "examples": 0.5,
    "docs": 0.6,
    "config": 0.4,
    "generated": 0.6,
    "vendored": 0.6,
    "legacy": 0.5,
    "declarations": 0.3,
}
# Rules over whole lists: `score` applies them itself.
BASE = "base"
COVERAGE = "coverage"
COHERENCE = "coherence"
DIVERSITY = "diversity"
# The share of similarity in the base score; queries of identifiers rely more on words.
DENSE = "dense"
DENSE_SYMBOLIC = "dense_symbolic"
# The similarity of the whole file, beside the base score of its chunks.
FILE = "file"

WEIGHTS: Mapping[str, float] = {
    **{rule.name: rule.weight for rule in (*BOOSTS, *PENALTIES)},
    **PATH_PENALTIES,
    COVERAGE: 0.8,
    COHERENCE: 0.3,
    DIVERSITY: 0.05,
    DENSE: 0.75,
    DENSE_SYMBOLIC: 0.3,
    FILE: 0.4,
}
# Where a file is one result, its further chunks take no room from other files.
WEIGHTS_BY_FILE: Mapping[str, float] = {**WEIGHTS, DIVERSITY: 0.0}
