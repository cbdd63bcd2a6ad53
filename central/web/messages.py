"""Sentences of pages: what a state means and what to do."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from central.repositories.states import NOTHING_TO_DO, IndexState, RunState
from indexer.records.files import SkipReason

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from central.ingest.models import IndexRun
    from central.repositories.models import Push, Repository

_RESUMES = "An administrator can resume it in the administration, under Repositories."


@dataclass(frozen=True, slots=True)
class Advice:
    """What is the matter, and what to do; `tone` is ok, info, warn or bad."""

    tone: str
    fact: str
    action: str = ""


_ADVICE = {
    IndexState.CURRENT: Advice("ok", "The newest commit that is known is indexed."),
    IndexState.INDEXING: Advice(
        "info", "A run is under way.", "Answers are of the commit before until it has ended."
    ),
    IndexState.NEVER: Advice(
        "info",
        "Nothing of it is indexed yet, so no search finds anything in it.",
        "Add the workflow that runs on every merge, or run `python -m indexer run` in a clone of "
        "it.",
    ),
    IndexState.FAILED: Advice(
        "bad",
        "The last run failed; answers are of the commit before.",
        "Correct what the error names and run the job again; the next merge tries it anyway.",
    ),
    IndexState.BEHIND: Advice(
        "warn",
        "A newer commit is known that is not indexed.",
        "Look whether its job ran, and run it again if it did not; the next merge catches up.",
    ),
    IndexState.PAUSED: Advice(
        "warn", "Indexing is paused; answers stay of the commit below.", _RESUMES
    ),
}


def advice_on(state: IndexState) -> Advice:
    """On a repository in this state."""
    return _ADVICE[state]


def why_skipped(reason: str) -> str:
    """The reason why a file is not indexed as a sentence; a newer indexer's by its name."""
    if reason in set(SkipReason):
        return SkipReason(reason).sentence
    return reason.replace("_", " ")


_RUN_ADVICE = {
    RunState.OPEN: Advice("info", "Its client is sending what has changed."),
    RunState.QUEUED: Advice("info", "All is sent; it waits for a worker to apply it."),
    RunState.APPLYING: Advice("info", "It is being written to the index, in one transaction."),
    RunState.APPLIED: Advice("ok", "It is the index, or was until a later run."),
    RunState.FAILED: Advice(
        "bad",
        "It was not applied; the index is as it was before.",
        "Correct what the error names and run the job again.",
    ),
    RunState.STALE: Advice(
        "warn",
        "Another run was applied while this one was under way, so it was not.",
        "Nothing is broken. If its commit is the newer one, run the job again.",
    ),
    RunState.ABANDONED: Advice("info", "Its client gave it up; the index is as it was before."),
    RunState.EXPIRED: Advice(
        "warn",
        "Its client fell silent, so it was ended; the index is as it was before.",
        "See in the job's log why it ended, and run the job again.",
    ),
}


def advice_on_run(run: "IndexRun") -> Advice:
    """On a run."""
    if run.state == RunState.QUEUED and run.progress.get("stage") == "waiting":
        return Advice("warn", "Something that it needs is away; it is tried again by itself.")
    if run.state == RunState.ABANDONED and run.reason in NOTHING_TO_DO:
        return Advice("ok", "There was nothing to do.")
    return _RUN_ADVICE[RunState(run.state)]


@dataclass(frozen=True, slots=True)
class Gap:
    """A commit that is known and not indexed, since when, and by what it is known."""

    commit: str
    since: "datetime | None"
    source: str


def gap_of(
    repository: "Repository", *, push: "Push | None", runs: "Sequence[IndexRun]"
) -> Gap | None:
    """What the index lacks, as the forge's last push or the newest of `runs` says; else None."""
    if push and push.commit_sha == repository.trouble_commit:
        return Gap(push.commit_sha, push.pushed_at, "a push")
    if repository.trouble_commit:
        ends = (run.ended_at for run in runs if run.commit_sha == repository.trouble_commit)
        return Gap(repository.trouble_commit, next(ends, None), "a run that was not applied")
    if push and push.is_pending and push.commit_sha != repository.last_indexed_commit:
        return Gap(push.commit_sha, push.pushed_at, "a push")
    return None


_ON_PAGES: Final = {
    ": see receipt.missing, and run": ", as said above: run",
    ": see receipt.missing": ", as said above",
    "see /api/v1/index/status for what is indexed": "look at Repositories for what is indexed",
    "what this credential sees": "what you may see",
    "that this token sees": "that you may see",
    "for this credential; check project.": "that you may see.",
    "for this credential; open one with POST /api/v1/index/runs.": "that you may see.",
    "mode=hybrid": "words and similarity together",
    "min_confidence=low lists them": "confidence “low” lists them",
    "try min_confidence=medium": "try confidence “medium”",
    "lower depth, raise limit, or give project and file": (
        "choose fewer levels, or narrow it down to a project and file"
    ),
    "; near lists names that are alike": "",
    "GET /api/v1/graph/nodes lists nodes": "Knowledge lists all that you may see",
    "graph_link links nodes": "An agent or codesearch graph link links it",
    "`": "",
}


def for_people(text: str) -> str:
    """The text without names of parameters, fields and addresses that only programs use."""
    for name, words in _ON_PAGES.items():
        text = text.replace(name, words)
    return text
