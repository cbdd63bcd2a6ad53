"""Runs, and states of runs and indexes, as pages show them: label, colour, what to do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from django.utils import timezone

from aeterna_code_search.contract.status import IndexState
from central.ingest.models import IndexRun
from central.repositories.models import IndexedBy, Push, Repository
from central.repositories.states import LIVE_RUN_STATES, had_nothing_to_do
from indexer.records.runs import Reason, reason_sentence


class StateMessage(NamedTuple):
    """A state in words. `tone` is its colour: ok, info, warn, bad or quiet."""

    tone: str
    fact: str
    action: str = ""
    label: str = ""  # if it is not the state's name


_INDEX: Final[dict[str, StateMessage]] = {
    IndexState.CURRENT: StateMessage("ok", "The newest known commit is indexed."),
    IndexState.INDEXING: StateMessage(
        "info", "A run is in progress.", "Until it ends, answers are of the previous commit."
    ),
    IndexState.NEVER: StateMessage(
        "quiet",
        "Nothing is indexed yet, so searches find nothing in this repository.",
        "Add the workflow that runs on every merge, or run `python -m indexer run` in a clone.",
        label="never indexed",
    ),
    IndexState.FAILED: StateMessage(
        "bad",
        "The last run failed; answers are of the previous commit.",
        "Fix what the error names and run the job again. The next merge also retries.",
    ),
    IndexState.BEHIND: StateMessage(
        "warn",
        "A newer commit is known but not indexed.",
        "Check whether its job ran, and run it again if it did not. The next merge catches up.",
    ),
    IndexState.PAUSED: StateMessage(
        "quiet",
        "Indexing is paused; answers are of the commit below.",
        "An administrator can resume it in the settings, under Repositories.",
    ),
}
_FIRST: Final = {  # of a repository without an index, by who is to make it
    (IndexState.FAILED, IndexedBy.ACTION): StateMessage(
        "bad",
        "Its first run failed, so searches find nothing in this repository.",
        "Fix what the error names and run the job again.",
    ),
    (IndexState.FAILED, IndexedBy.CENTRAL): StateMessage(
        "bad",
        "This service could not clone and index it, so searches find nothing in this repository.",
        "An administrator can fix what the error names and have it indexed again in the settings.",
    ),
    (IndexState.NEVER, IndexedBy.CENTRAL): StateMessage(
        "quiet",
        "Nothing is indexed yet, so searches find nothing in this repository.",
        "This service clones it: its backfill, in the settings, says what it waits for.",
        label="never indexed",
    ),
}
_RUNS: Final = {
    "open": StateMessage("info", "The client is uploading the changes."),
    "queued": StateMessage("info", "The upload is complete; the run waits for a worker."),
    "applying": StateMessage("info", "The changes are being written to the index."),
    "applied": StateMessage("ok", "The run was applied; the index holds it until a later run."),
    "failed": StateMessage(
        "bad",
        "The run was not applied; the index is unchanged.",
        "Fix what the error names and run the job again.",
    ),
    "stale": StateMessage(
        "warn",
        "Another run was applied while this one was in progress, so this one was not.",
        "Nothing is broken. If its commit is the newer one, run the job again.",
    ),
    "abandoned": StateMessage("quiet", "The client cancelled the run; the index is unchanged."),
    "expired": StateMessage(
        "warn",
        "The run expired because its client stopped sending; the index is unchanged.",
        "See in the job's log why it ended, and run the job again.",
    ),
}
_WAITING: Final = StateMessage(
    "warn", "A service that the run needs is unavailable; the run is retried automatically."
)
_NOTHING_TO_DO: Final = StateMessage("ok", "There was nothing to do.", label="nothing to do")


def state_message(state: str) -> StateMessage:
    """Return the message on an index state; of an unknown one, its name alone."""
    return _INDEX.get(state) or StateMessage("quiet", "", label=state)


def index_message(repository: Repository, state: IndexState) -> StateMessage:
    """Return the message on a repository's index, which may be its first one that is awaited."""
    if repository.generation or state not in {IndexState.FAILED, IndexState.NEVER}:
        return state_message(state)
    return _FIRST.get((state, IndexedBy(repository.indexed_by)), state_message(state))


def run_message(run: IndexRun) -> StateMessage:
    """Return the message on a run; of an unknown state, its name alone."""
    if run.state == "queued" and run.progress.get("stage") == "waiting":
        return _WAITING
    if had_nothing_to_do(run.state, run.reason):
        return _NOTHING_TO_DO
    return _RUNS.get(run.state) or StateMessage("info", "", label=run.state)


@dataclass(frozen=True, slots=True)
class MissingCommit:
    """A known commit that is not indexed. `source` names what reported it."""

    commit: str
    since: datetime | None
    source: str


def missing_commit(
    repository: Repository, *, push: Push | None, runs: Sequence[IndexRun]
) -> MissingCommit | None:
    """Return the commit that the last push or the newest run reports and the index lacks."""
    if push and push.commit_sha == repository.trouble_commit:
        return MissingCommit(push.commit_sha, push.pushed_at, "a push")
    if repository.trouble_commit:
        ends = (run.ended_at for run in runs if run.commit_sha == repository.trouble_commit)
        return MissingCommit(
            repository.trouble_commit, next(ends, None), "a run that was not applied"
        )
    if push and push.is_pending and push.commit_sha != repository.last_indexed_commit:
        return MissingCommit(push.commit_sha, push.pushed_at, "a push")
    return None


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
