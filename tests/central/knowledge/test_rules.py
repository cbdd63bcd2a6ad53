"""Rules: bounds on what is read, and validation by a process with limits."""

import asyncio
import json
from time import monotonic

import pytest

from central.errors import InvalidError, UnavailableError
from central.http.turns import Caller, current
from central.knowledge import rules
from central.knowledge.rules import (
    RULE_DEPTH,
    RULE_REGEXES,
    RULE_VALUE_CHARACTERS,
    RULE_VALUES,
    parse_rule,
    validate_rule,
)
from central.limited_process import LimitedProcesses
from indexer.limits import RULE_BYTES
from tests.central import limited_child
from tests.central.http.test_asgi import Exchange
from tests.central.knowledge.graph import created, graph
from tests.central.knowledge.test_policies import NO_PANIC
from tests.central.protocol import api_of
from tests.central.refusals import assert_problem

ORDINARY = "rule: {pattern: f($A)}"
SLOW = f"rule: {{regex: '{limited_child.SPIN}'}}"
LARGE = f"rule: {{regex: '{limited_child.ALLOCATE}'}}"


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    use_stand_in(monkeypatch, 1, cpu_seconds=0.3)


def use_stand_in(
    monkeypatch: pytest.MonkeyPatch, count: int, *, cpu_seconds: float = 2.0, seconds: float = 60
) -> None:
    processes = LimitedProcesses(
        limited_child.NAME, count, cpu_seconds=cpu_seconds, seconds=seconds
    )
    monkeypatch.setattr(rules, "processes", processes)


def any_of(key: str, value: str, count: int) -> str:
    return f"rule: {{any: [{', '.join([f'{{{key}: {value}}}'] * count)}]}}"


def nested(levels: int) -> str:
    """A rule of so many levels."""
    return f"rule: {'{not: ' * (levels - 2)}{{kind: x}}{'}' * (levels - 2)}"


@pytest.mark.parametrize(
    ("fits", "exceeds", "says"),
    [
        (
            any_of("kind", "x", RULE_VALUES),
            any_of("kind", "x", RULE_VALUES + 1),
            "this one has 501",
        ),
        (
            any_of("regex", "a", RULE_REGEXES),
            any_of("regex", "a", RULE_REGEXES + 1),
            "100 regular expressions; this one has 101",
        ),
        (
            any_of("pattern", "a" * RULE_VALUE_CHARACTERS, 1),
            any_of("pattern", "a" * (RULE_VALUE_CHARACTERS + 1), 1),
            "2,000 characters",
        ),
        (nested(RULE_DEPTH), nested(RULE_DEPTH + 1), "20 levels deep"),
        (
            f"{ORDINARY} #".ljust(RULE_BYTES, "x"),
            f"{ORDINARY} #".ljust(RULE_BYTES + 1, "x"),
            "16,384",
        ),
    ],
    ids=["values", "regexes", "characters", "levels", "bytes"],
)
def test_a_rule_over_a_bound_is_refused_without_a_process(
    monkeypatch: pytest.MonkeyPatch, fits: str, exceeds: str, says: str
) -> None:
    use_stand_in(monkeypatch, 0, seconds=0)
    assert "rule" in parse_rule(fits)
    with pytest.raises(InvalidError, match=says) as caught:
        validate_rule(exceeds, language="python")
    assert caught.value.code == "invalid_rule"


def test_a_key_of_a_constraint_that_is_called_regex_is_none() -> None:
    constraints = ", ".join(f"A{number}: {{kind: x}}" for number in range(RULE_REGEXES + 1))
    assert parse_rule(f"{ORDINARY}\nconstraints: {{regex: {{kind: x}}, {constraints}}}")


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("rule", [SLOW, LARGE])
def test_a_rule_that_takes_too_much_is_refused_and_the_next_one_is_validated(rule: str) -> None:
    with pytest.raises(InvalidError, match=r"too much time or memory.*Shorten it") as caught:
        validate_rule(rule, language="python")
    assert caught.value.code == "invalid_rule"
    validate_rule(ORDINARY, language="python")


def test_who_finds_no_free_process_is_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    use_stand_in(monkeypatch, 0, seconds=0)
    with pytest.raises(UnavailableError) as caught:
        validate_rule(ORDINARY, language="python")
    assert caught.value.code == "too_busy"


def test_a_process_that_does_not_answer_is_not_the_rule_s_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_stand_in(monkeypatch, 1, seconds=0.2)
    with pytest.raises(UnavailableError):
        validate_rule(f"rule: {{pattern: '{limited_child.SLEEP}'}}", language="python")


def test_organisations_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    callers: list[object] = []

    class Noting:
        def ask(self, _: object, *, caller: object) -> str:
            callers.append(caller)
            return ""

    monkeypatch.setattr(rules, "processes", Noting())
    for name in ("organization 1", "organization 2"):
        token = current.set(Caller(name))
        validate_rule(ORDINARY, language="python")
        current.reset(token)
    assert callers == ["organization 1", "organization 2"]


@pytest.mark.django_db(transaction=True)
def test_a_slow_validation_leaves_the_probe_its_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    use_stand_in(monkeypatch, 1, cpu_seconds=1.1)
    api = api_of()
    body = {"org_id": api.organization.slug} | NO_PANIC
    body["policy"] = NO_PANIC["policy"] | {"rule": SLOW}
    sent = json.dumps(body).encode()
    headers = {"authorization": f"Bearer {api.token}", "content_length": str(len(sent))}
    slow = Exchange("/api/v1/graph/nodes", [sent], content_type="application/json", **headers)

    async def longest_pause() -> float:
        validation = asyncio.create_task(slow.start())
        longest, answered_at = 0.0, monotonic()
        while not validation.done():
            probe = Exchange("/livez")
            await probe.start()
            assert probe.document == {"status": "live"}
            longest, answered_at = max(longest, monotonic() - answered_at), monotonic()
            await asyncio.sleep(0)  # let the validation go on
        return longest

    started = monotonic()
    assert asyncio.run(longest_pause()) < 1
    assert monotonic() - started > 1
    assert (slow.sent[0]["status"], slow.document["code"]) == (400, "invalid_rule")


@pytest.mark.django_db
def test_a_rule_that_is_not_changed_is_not_validated_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api = api_of()
    created(api, **NO_PANIC)
    use_stand_in(monkeypatch, 0, seconds=0)
    assert graph(api, "PATCH", "nodes/POL-1", {"message": "Never."}).status_code == 200
    assert_problem(graph(api, "PATCH", "nodes/POL-1", {"rule": ORDINARY}), 503, "too_busy")
