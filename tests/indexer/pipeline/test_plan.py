"""The whole decision table, row by row."""

from dataclasses import dataclass, field

import pytest

from indexer.pipeline.plan import decide
from indexer.records.runs import Ancestry, Indexed, Mode, Plan, Reason, Requested

HEAD, BASE, REF = "head", "base", "refs/heads/main"


@dataclass
class Facts:
    """A history that knows its answers and remembers what it was asked."""

    is_: Ancestry = Ancestry.ANCESTOR
    at_tip: bool = True
    shallow: bool = False
    selection: bool = False
    left: bool = False
    asked: list[str] = field(default_factory=list)

    def is_shallow(self) -> bool:
        self.asked.append("shallow")
        return self.shallow

    def ancestry(self, base: str, head: str) -> Ancestry:
        self.asked.append("relation")
        return Ancestry.SAME if base == head else self.is_

    def branch_head(self, ref: str) -> str | None:
        assert ref == REF
        self.asked.append("tip")
        return HEAD if self.at_tip else "newer"

    def was_removed_from_branch(self, head: str, base: str, ref: str) -> bool:
        assert (head, base, ref) == (HEAD, BASE, REF)
        self.asked.append("left")
        return self.left

    def selection_changed(self, base: str, head: str) -> bool:
        assert base != head
        self.asked.append("selection")
        return self.selection


def indexed(commit: str = BASE, *, extractor: bool = True, embedder: bool = True) -> Indexed:
    return Indexed(commit, same_extractor=extractor, same_embedder=embedder)


AUTO, FULL, FORCE = Requested.AUTO, Requested.FULL, Requested.FORCE
PASSED = Ancestry.DESCENDANT
SUPERSEDED = Plan(Mode.NONE, Reason.SUPERSEDED)


def full(reason: Reason) -> Plan:
    return Plan(Mode.FULL, reason)


TABLE = {
    "nothing indexed": (None, AUTO, Facts(), full(Reason.FIRST_INDEX)),
    "same commit": (indexed(HEAD), AUTO, Facts(), Plan(Mode.NONE, Reason.UP_TO_DATE)),
    "ancestor": (indexed(), AUTO, Facts(), Plan(Mode.INCREMENTAL, Reason.FAST_FORWARD, BASE)),
    "ancestor, not at the tip": (
        indexed(),
        AUTO,
        Facts(at_tip=False),
        Plan(Mode.INCREMENTAL, Reason.FAST_FORWARD, BASE),
    ),
    "selection": (indexed(), AUTO, Facts(selection=True), full(Reason.SELECTION_CHANGED)),
    "base missing": (indexed(), AUTO, Facts(Ancestry.MISSING), full(Reason.BASE_MISSING)),
    "diverged": (indexed(), AUTO, Facts(Ancestry.DIVERGED), full(Reason.DIVERGED)),
    "diverged, left behind": (indexed(), AUTO, Facts(Ancestry.DIVERGED, left=True), SUPERSEDED),
    "passed, at the tip": (indexed(), AUTO, Facts(PASSED), full(Reason.REWOUND)),
    "passed": (indexed(), AUTO, Facts(PASSED, at_tip=False), SUPERSEDED),
    "extractor": (
        indexed(extractor=False),
        AUTO,
        Facts(),
        full(Reason.EXTRACTOR_CHANGED),
    ),
    "extractor, same commit": (
        indexed(HEAD, extractor=False),
        AUTO,
        Facts(),
        full(Reason.EXTRACTOR_CHANGED),
    ),
    "extractor before embedder": (
        indexed(extractor=False, embedder=False),
        AUTO,
        Facts(),
        full(Reason.EXTRACTOR_CHANGED),
    ),
    "extractor, passed": (indexed(extractor=False), AUTO, Facts(PASSED, at_tip=False), SUPERSEDED),
    "embedder": (indexed(embedder=False), AUTO, Facts(), full(Reason.EMBEDDER_CHANGED)),
    "embedder, passed": (indexed(embedder=False), AUTO, Facts(PASSED, at_tip=False), SUPERSEDED),
    "full": (indexed(), FULL, Facts(), full(Reason.REQUESTED)),
    "full, nothing indexed": (None, FULL, Facts(), full(Reason.REQUESTED)),
    "full, same commit": (indexed(HEAD), FULL, Facts(), full(Reason.REQUESTED)),
    "full, base missing": (indexed(), FULL, Facts(Ancestry.MISSING), full(Reason.REQUESTED)),
    "full, passed": (indexed(), FULL, Facts(PASSED, at_tip=False), SUPERSEDED),
    "full, diverged": (indexed(), FULL, Facts(Ancestry.DIVERGED), full(Reason.REQUESTED)),
    "full, left behind": (indexed(), FULL, Facts(Ancestry.DIVERGED, left=True), SUPERSEDED),
    "full, passed, at the tip": (indexed(), FULL, Facts(PASSED), full(Reason.REQUESTED)),
    "force": (indexed(), FORCE, Facts(), Plan(Mode.FORCE, Reason.REQUESTED)),
    "force, nothing indexed": (None, FORCE, Facts(), Plan(Mode.FORCE, Reason.REQUESTED)),
    "force, same commit": (indexed(HEAD), FORCE, Facts(), Plan(Mode.FORCE, Reason.REQUESTED)),
    "force, passed": (indexed(), FORCE, Facts(PASSED, at_tip=False), SUPERSEDED),
}


@pytest.mark.parametrize(("base", "requested", "facts", "plan"), TABLE.values(), ids=TABLE.keys())
def test_the_table(base: Indexed | None, requested: Requested, facts: Facts, plan: Plan) -> None:
    assert decide(head=HEAD, ref=REF, indexed=base, requested=requested, history=facts) == plan


def test_every_reason_is_reached() -> None:
    by_commits = set(Reason) - {Reason.SCIP_CHANGED, Reason.BRANCH_NOT_WANTED}
    assert {plan.reason for *_, plan in TABLE.values()} == by_commits


@pytest.mark.parametrize(
    ("base", "requested", "facts", "asked"),
    [
        (None, AUTO, Facts(), []),
        (None, FULL, Facts(), []),
        (indexed(HEAD), FORCE, Facts(), []),
        (indexed(), AUTO, Facts(), ["relation", "selection"]),
        (indexed(), AUTO, Facts(Ancestry.DIVERGED), ["relation", "left"]),
        (indexed(), FULL, Facts(shallow=True), ["shallow", "tip"]),
        (indexed(), FULL, Facts(), ["shallow", "relation"]),
    ],
)
def test_only_what_matters_is_asked(
    base: Indexed | None, requested: Requested, facts: Facts, asked: list[str]
) -> None:
    facts.asked.clear()
    decide(head=HEAD, ref=REF, indexed=base, requested=requested, history=facts)
    assert facts.asked == asked
