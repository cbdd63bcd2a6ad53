"""Elements of lists and dictionaries that are written as literals, and names bound by patterns."""

from collections.abc import Callable

from tests.central.trace.corpus import pyproject, repository

_PARTS = """
class Part:
    def weigh(self): ...

class Screw:
    def weigh(self): ...

def make() -> Part: ...
"""


def _callers_of_weigh(callers: Callable[..., list[str]], text: str) -> list[int]:
    """Return the lines of `text` that call Part.weigh, in order."""
    repository(
        "kit",
        {"pyproject.toml": pyproject("kit"), "kit/parts.py": _PARTS, "kit/use.py": text.lstrip()},
    )
    found = callers("Part.weigh", project="kit")
    return sorted(int(one.partition(":")[2].partition(" ")[0]) for one in found)


def _marked(text: str) -> list[int]:
    return [at for at, line in enumerate(text.lstrip().splitlines(), 1) if "# yes" in line]


def _check(callers: Callable[..., list[str]], text: str) -> None:
    assert _callers_of_weigh(callers, text) == _marked(text)


def test_elements_of_a_literal_are_what_all_its_items_are(
    callers: Callable[..., list[str]],
) -> None:
    _check(
        callers,
        """
from kit.parts import Part, Screw, make

class Kit:
    def __init__(self, sizes, other):
        self.parts = [Part(), Part(1)]
        self.named = {"a": Part(), "b, c": Part()}
        self.sized = [Part(size) for size in sizes if size]
        self.either = [Part() if sizes else Screw()]
        self.eithers = {size: Part() if size else Screw() for size in sizes}
        self.mixed = [Part(), Screw()]
        self.spread = [*other, Part()]
        self.merged = {**other, "a": Part()}

    def run(self, key, makers):
        for part in self.parts:
            part.weigh()  # yes
        self.parts[0].weigh()  # yes
        self.parts.pop().weigh()  # yes
        self.named[key].weigh()  # yes
        self.named.get(key).weigh()  # yes
        for key, part in self.named.items():
            part.weigh()  # yes
            key.weigh()
        for part in self.named.values():
            part.weigh()  # yes
        for key in self.named:
            key.weigh()
        [part.weigh() for part in self.sized]  # yes
        self.either[0].weigh()
        self.eithers[key].weigh()
        self.mixed[0].weigh()
        self.spread[0].weigh()
        self.merged[key].weigh()
        made = [Part() for Part in makers]
        made[0].weigh()
        local = {key: Part() for key in makers}
        local[key].weigh()  # yes
        self.parts.weigh()
""",
    )


def test_a_name_bound_by_a_pattern_is_of_its_class(callers: Callable[..., list[str]]) -> None:
    _check(
        callers,
        """
from kit.parts import Part, Screw, make

def sort(thing, other, parts: dict[str, Part], part: Part):
    match thing:
        case Part() as found:
            found.weigh()  # yes
        case {"x": Part() as inner}:
            inner.weigh()  # yes
        case Screw() as found:
            found.weigh()
        case [Screw(), found]:
            found.weigh()
    match other:
        case Part(name=name):
            other.weigh()  # yes
            name.weigh()
        case Screw():
            other.weigh()
    (one := parts["a"]).weigh()  # yes
    (two := make()).weigh()  # yes
    lambda part=part: part.weigh()  # yes
    lambda given=part: given.weigh()  # yes
    lambda part: part.weigh()
    lambda *part: part.weigh()
    lambda **part: part.weigh()
""",
    )


def test_a_pattern_of_several_subjects_tells_nothing_of_one(
    callers: Callable[..., list[str]],
) -> None:
    _check(
        callers,
        """
from kit.parts import Part, Screw

def sort(thing, other):
    match thing, other:
        case Part(), Screw():
            other.weigh()
        case Screw(), _:
            thing.weigh()
        case _, Part():
            other.weigh()
    match thing:
        case Part(), Screw():
            thing.weigh()
        case Part() if other:
            thing.weigh()  # yes
""",
    )


def test_a_name_that_is_assigned_in_place_is_what_it_is_assigned_there(
    callers: Callable[..., list[str]],
) -> None:
    _check(
        callers,
        """
from kit.parts import Part, Screw

def change(flag, part: Part):
    (one := Part()).weigh()  # yes
    (one := Screw()).weigh()
    (one := Part()).weigh()  # yes
    (part := Screw()).weigh()
    (two := Part() if flag else Screw()).weigh()
""",
    )
