"""Runs as pages show them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils import timezone

from central.ingest.models import IndexRun
from central.repositories.states import LIVE_RUN_STATES
from central.web.states import StateMessage, run_message
from indexer.records.runs import Reason, reason_sentence

_STAGES: Final = ("open", "plan", "select", "process", "apply")  # as the indexer names them
_ORDER: Final = {name: number for number, name in enumerate(_STAGES)}


@dataclass(frozen=True, slots=True)
class StageTime:
    """A part of a run. `start` and `percent` are of the 100 of all stages."""

    name: str
    seconds: float
    start: float
    percent: float


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run with what a page says of it; `seconds` until now where it has not ended."""

    run: IndexRun
    message: StateMessage
    why: str
    seconds: float
    stages: list[StageTime]
    is_live: bool
    percent: int | None


def shown_run(run: IndexRun) -> ShownRun:
    """Return a run with its message; without a query."""
    ended: datetime = run.ended_at or timezone.now()
    percent = run.progress.get("percent")
    return ShownRun(
        run=run,
        message=run_message(run),
        why=why(run.reason),
        seconds=max(0.0, (ended - run.opened_at).total_seconds()),
        stages=stages_of(run.stats.get("seconds") or {}),
        is_live=run.state in LIVE_RUN_STATES,
        percent=percent if isinstance(percent, int) else None,
    )


def why(reason: str) -> str:
    """Return the reason of a run's mode as a sentence; "" without one."""
    return reason_sentence(Reason(reason)) if reason in set(Reason) else reason.replace("_", " ")


def stages_of(seconds: dict[str, float]) -> list[StageTime]:
    """Return the stages in their order; stored JSON has none."""
    total = sum(seconds.values())
    found, before = [], 0.0
    ordered = sorted(seconds.items(), key=lambda item: (_ORDER.get(item[0], len(_ORDER)), item[0]))
    for name, value in ordered:
        percent = 100 * value / total if total else 0.0
        found.append(StageTime(name, value, round(before, 2), round(percent, 2)))
        before += percent
    return found


def runner_of(run: IndexRun) -> str:
    """Return who ran it: a token by name and prefix, or a keyless job.

    Reads `run.api_token`.
    """
    token = run.api_token
    if token is None:
        return "a token that is deleted, or a job whose short-lived one is over"
    if token.bound_repository_id is not None:
        return f"a keyless job of {token.bound_project} on {token.bound_ref}"
    name = f"{token.name} " if token.name else ""
    owner = f", {token.owner.get_username()}'s" if token.owner else ""
    return f"token {name}({token.prefix}…{owner})"


_SHOWN: Final = 7
TINTS: Final = 8  # the last is that of all others


@dataclass(frozen=True, slots=True)
class Share:
    """A language's part. `start` and `percent` are of the bar's 100; `count` is of files."""

    name: str
    count: int
    start: float
    percent: float
    tint: int


def shares(languages: Mapping[str, int]) -> list[Share]:
    """Return the shares, the largest first; beyond the seventh they are "other"."""
    ordered = sorted(languages.items(), key=lambda item: (-item[1], item[0]))
    parts = [(name or "text", count) for name, count in ordered[:_SHOWN] if count > 0]
    rest = sum(count for _, count in ordered[_SHOWN:])
    parts += [("other", rest)] if rest else []
    total = sum(count for _, count in parts)
    found, before = [], 0
    for tint, (name, count) in enumerate(parts):
        start, percent = 100 * before / total, 100 * count / total
        found.append(Share(name, count, round(start, 2), round(percent, 2), tint))
        before += count
    return found
