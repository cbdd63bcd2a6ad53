"""Which symbols are asked about: drawn by a fixed rule from all public ones, never by hand."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from benchmarks.callers.truth import CALLABLE, Definition, Truth

SEED = "callers-1"
PER_GROUP = 60  # of functions and classes
METHODS_PER_GROUP = 120  # each has fewer callers, reached in more ways


@dataclass(frozen=True, slots=True)
class Question:
    """A definition to ask about, and the groups that it was drawn for."""

    index: int
    groups: tuple[str, ...]


def choose(
    truth: Truth, per_group: int = PER_GROUP, methods: int = METHODS_PER_GROUP
) -> list[Question]:
    """For each group and kind the first of its definitions in order of a digest.

    `cross` has callers in other repositories, `own` in its own alone, `zero` none anywhere; `trap`
    bears a name that two repositories or more define.
    """
    drawn: dict[int, list[str]] = {}
    for group, members in grouped(truth).items():
        for is_method, count in ((False, per_group), (True, methods)):
            kind = [
                one for one in members if (truth.definitions[one].kind == "method") is is_method
            ]
            for index in sorted(kind, key=lambda one: _lot(truth.definitions[one]))[:count]:
                drawn.setdefault(index, []).append(group)
    return [Question(index, tuple(groups)) for index, groups in sorted(drawn.items())]


def grouped(truth: Truth) -> dict[str, list[int]]:
    """All public functions, classes and methods by group; one may be in several."""
    projects: dict[str, set[str]] = {}
    for definition in truth.definitions:
        projects.setdefault(definition.name, set()).add(definition.project)
    unjudged = {site.name for site in truth.sites if not site.judged}
    groups: dict[str, list[int]] = {"cross": [], "own": [], "trap": [], "zero": []}
    for index, definition in enumerate(truth.definitions):
        if definition.public and definition.kind in CALLABLE:
            for group in _groups(truth, index, projects, unjudged):
                groups[group].append(index)
    return groups


def _groups(
    truth: Truth, index: int, projects: dict[str, set[str]], unjudged: set[str]
) -> Iterator[str]:
    definition = truth.definitions[index]
    callers = truth.callers.get(index, [])
    if any(site.project != definition.project for site in callers):
        yield "cross"
    elif callers:
        yield "own"
    elif not (truth.is_partial or definition.name in unjudged or index in truth.mentions):
        yield "zero"  # else it is not certain
    if len(projects[definition.name]) > 1:
        yield "trap"


def _lot(definition: Definition) -> str:
    words = (SEED, definition.project, definition.file, definition.qualified_name)
    return sha256(":".join(words).encode()).hexdigest()
