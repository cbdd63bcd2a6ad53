"""One run from start to end: open, decide, select, process, upload, announce, wait, report."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from indexer.bundle.encode import FileLine, encode_tree
from indexer.client.api import IndexingClient, OpenedRun, RunLinks, RunState
from indexer.decoding import is_wide
from indexer.embedding.base import Usage
from indexer.errors import (
    CentralRefusedError,
    DirectNotAvailableError,
    EmbeddingError,
    RunStaleError,
)
from indexer.git.repository import Repository
from indexer.output.terminal import pluralize
from indexer.pipeline.embed import EmbeddingStage
from indexer.pipeline.history import commit_lines, history_plan
from indexer.pipeline.job import Job
from indexer.pipeline.open_run import abandon_run, is_branch_unwanted, open_job, relayed
from indexer.pipeline.plan import decide, selected_entries
from indexer.pipeline.progress import Progress
from indexer.pipeline.report import Report, RunProgress, RunStage, ScipReport
from indexer.pipeline.scip import ScipChanges, find_changes, scip_plan
from indexer.pipeline.select import needs_content
from indexer.pipeline.stats import RunCounters, Stopwatch
from indexer.pipeline.tasks import extract_in_worker
from indexer.pipeline.text_embedder import text_embedder
from indexer.pipeline.upload import BatchUploader
from indexer.pipeline.worker_pool import WorkerPool, skipped_line, worker_count
from indexer.records.files import LANGUAGE_DECLARED, TreeEntry
from indexer.records.runs import Indexed, Mode, Plan, Reason, Requested, RunStats

if TYPE_CHECKING:
    from indexer.pipeline.direct_upload import PointWriter

_MAX_REPLANS: Final = 3
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Work:
    """The content of a run: entries (some skipped) and, without a tree, removals."""

    entries: list[TreeEntry]
    removed: list[str]
    removed_by_tree: int = 0


def index(
    *,
    job: Job,
    repository: Repository,
    central: IndexingClient,
    progress: Progress,
    run_progress: RunProgress,
) -> Report:
    """Bring central's index of the repository to the job's commit and return the result.

    If another run is applied meanwhile, plans again, at most three times. Raises IndexerError.
    After any exception `run_progress` has the state of the last run.
    """
    for _ in range(_MAX_REPLANS):
        try:
            return _Run(job, repository, central, progress, run_progress).execute()
        except RunStaleError as exc:
            _log.warning("%s; planning again", exc)
    return _Run(job, repository, central, progress, run_progress).execute()


class _Run:
    """One attempt."""

    def __init__(
        self,
        job: Job,
        repository: Repository,
        central: IndexingClient,
        progress: Progress,
        run_progress: RunProgress,
    ) -> None:
        self._job = job
        self._repository = repository
        self._central = central
        self._progress = progress
        self._run_progress = run_progress
        self._watch = Stopwatch()
        self._counters = RunCounters()
        self._usage = Usage()
        self._fetched_history = False
        self._commit = job.request.commit_sha

    def execute(self) -> Report:
        try:
            with self._watch.stage("open"):
                opened, self._job = open_job(
                    central=self._central, job=self._job, run_progress=self._run_progress
                )
        except CentralRefusedError as exc:
            if not is_branch_unwanted(self._job, exc):
                raise
            return self._unwanted(str(exc.problem.get("detail") or exc))
        with self._abandoned_on_error(), closing(ScipChanges()) as scip:
            self._check_upload_mode(opened)
            with self._watch.stage("plan"):
                plan = self._decide(opened)
            plan = self._with_scip(opened, plan, scip)
            if self._job.requested is Requested.HISTORY:
                plan = history_plan(plan, self._commit)
            self._progress.plan(plan)
            if plan.mode is Mode.NONE:
                self._central.abandon_run(opened.run_id, plan.reason)
                return self._report(opened, plan, RunStats(), links=None, scip=scip.report)
            with self._watch.stage("select"):
                work = self._select(opened, plan)
            with self._watch.stage("process"):
                batches = self._upload(opened, plan, work, scip)
            stats = self._counters.stats(
                removed=len(work.removed) + work.removed_by_tree,
                usage=self._usage,
                seconds=self._watch.rounded(),
            )
            links = self._announce(opened, plan, batches, stats)
        with self._watch.stage("apply"):
            self._wait(opened)
        return self._report(opened, plan, stats, links, scip.report)

    def _unwanted(self, refusal: str) -> Report:
        return Report(
            project=self._job.request.project_id,
            commit_sha=self._commit,
            base_commit=None,
            run_id="",
            mode=Mode.NONE,
            reason=Reason.BRANCH_NOT_WANTED,
            stats=RunStats(),
            seconds=self._watch.rounded(),
            repository_url=self._job.request.repository_url,
            branch_refusal=refusal,
        )

    def _check_upload_mode(self, opened: OpenedRun) -> None:
        direct = self._job.direct
        if not direct or opened.direct:
            return
        missing = "the service named no vector store: check that it is up to date"
        if direct.is_required:
            raise DirectNotAvailableError(f"{missing}, or set AETERNA_VECTORS=relay")
        self._job = relayed(self._job, missing)

    @contextmanager
    def _abandoned_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:  # Ctrl-C as well: no other process will finish this run
            abandon_run(self._central, self._run_progress)
            raise

    def _decide(self, opened: OpenedRun) -> Plan:
        indexed = opened.base_commit and Indexed(
            opened.base_commit,
            same_extractor=opened.base_extractor == self._job.request.extractor,
            same_embedder=opened.base_embedder == str(opened.embedder),
        )
        was_shallow = self._repository.is_shallow()
        plan = decide(
            head=self._commit,
            ref=self._job.request.ref,
            indexed=indexed or None,
            requested=Requested.FORCE if opened.reindex else self._job.requested,
            history=self._repository,
        )
        self._fetched_history = was_shallow and not self._repository.is_shallow()
        return plan

    def _with_scip(self, opened: OpenedRun, plan: Plan, scip: ScipChanges) -> Plan:
        """Find what differs of the SCIP indexes; return the plan of the run."""
        with self._watch.stage("scip"):
            find_changes(
                scip,
                job=self._job,
                repository=self._repository,
                central=self._central,
                opened=opened,
                plan=plan,
            )
        if scip.report is None:
            self._watch.drop("scip")
        return scip_plan(plan, scip, self._commit)

    def _select(self, opened: OpenedRun, plan: Plan) -> _Work:
        if plan.mode is Mode.INCREMENTAL and plan.base:
            changes = self._repository.changes(plan.base, self._commit)
            selected = self._selected(opened, changes.entries)
            return _Work(selected, list(changes.removed))
        entries = self._selected(opened, self._repository.tree(self._commit))
        answer = self._central.put_tree(opened.run_id, encode_tree(entries))
        if plan.mode is not Mode.FORCE:
            entries = [
                file for file in entries if file.path in answer.changed or _is_declared(file)
            ]
        return _Work(entries, [], answer.removed)

    def _selected(self, opened: OpenedRun, entries: Sequence[TreeEntry]) -> list[TreeEntry]:
        """Select, without declared languages for a service that would not ask for them again."""
        entries = selected_entries(self._repository, self._commit, entries)
        if LANGUAGE_DECLARED in opened.record_fields:
            return entries
        return [replace(entry, declared_language="") for entry in entries]

    def _upload(self, opened: OpenedRun, plan: Plan, work: _Work, scip: ScipChanges) -> int:
        """Send everything; return the number of batches."""
        self._progress.start("files", len(work.entries))
        with BatchUploader(
            self._central, opened, self._counters, self._progress.advance
        ) as uploader:
            for path in work.removed:
                uploader.remove(path)
            uploader.add_lines(scip.lines())
            uploader.add_lines(
                commit_lines(
                    repository=self._repository,
                    central=self._central,
                    opened=opened,
                    plan=plan,
                    head=self._commit,
                    sends_all=self._job.requested is Requested.HISTORY,
                )
            )
            uploader.add_files(
                skipped_line(entry, entry.skipped)
                for entry in work.entries
                if entry.skipped and not needs_content(entry)
            )
            try:
                with self._extraction(opened, work.entries) as files:
                    uploader.add_files(files)
            except EmbeddingError as exc:
                uploader.finish()  # central salvages the vectors of an abandoned run
                if not self._counters.embedded:
                    raise
                raise _with_salvage_note(exc, self._counters.embedded) from exc
            return uploader.finish()

    def _announce(self, opened: OpenedRun, plan: Plan, batches: int, stats: RunStats) -> RunLinks:
        """Hand the run over to central; return the URL that reports its state."""
        self._run_progress.stage = RunStage.ANNOUNCING
        links = self._central.send_webhook(
            self._job.request, opened, plan, batches=batches, stats=stats
        )
        self._run_progress.stage = RunStage.ANNOUNCED
        return links

    @contextmanager
    def _extraction(
        self, opened: OpenedRun, entries: list[TreeEntry]
    ) -> Iterator[Iterable[FileLine]]:
        """Connect the stages from a blob to a line with vectors; yield the lines."""
        wanted = [entry for entry in entries if needs_content(entry)]
        if not wanted:
            yield ()
            return
        with (
            WorkerPool(worker_count(sum(entry.size for entry in wanted))) as pool,
            self._points(opened) as points,
        ):
            embedder = text_embedder(opened.embedder, self._job.access, pool)
            extract = partial(
                extract_in_worker,
                dimensions=opened.embedder.dimensions,
                batch_bytes=opened.batch_bytes,
                with_points=points is not None,
                model=embedder.model,
                record_fields=opened.record_fields,
            )
            with EmbeddingStage.for_run(self._central, opened, embedder.embed, points) as embedding:
                if not all(entry.skipped for entry in wanted):  # what is not embedded
                    embedder.check()
                sources = self._repository.blobs.sources(wanted)
                yield embedding.lines(pool.extract(sources, extract))
            self._usage = embedder.usage

    def _points(self, opened: OpenedRun) -> "PointWriter | nullcontext[None]":
        """Return the writer of a direct upload. Raises ConfigurationError and StoreError."""
        if not (opened.direct and self._job.direct):
            return nullcontext()
        from indexer.store.qdrant import require_client

        require_client()
        from indexer.pipeline.direct_upload import PointWriter  # imports NumPy

        return PointWriter.for_run(opened, opened.direct, self._job.direct)

    def _wait(self, opened: OpenedRun) -> None:
        self._progress.start("apply", 0)
        self._central.wait_for_apply(
            opened.run_id,
            timeout_seconds=self._job.timeout_seconds,
            on_state=self._report_applied,
        )

    def _report_applied(self, run: RunState) -> None:
        percent = run.progress.get("percent")
        if isinstance(percent, int):
            self._progress.update(percent)
        elif run.state == "queued":
            self._progress.wait()
        else:  # it has just begun
            self._progress.advance()

    def _report(
        self,
        opened: OpenedRun,
        plan: Plan,
        stats: RunStats,
        links: RunLinks | None,
        scip: ScipReport | None,
    ) -> Report:
        return Report(
            project=self._job.request.project_id,
            commit_sha=self._commit,
            base_commit=opened.base_commit,
            run_id=opened.run_id,
            mode=plan.mode,
            reason=plan.reason,
            stats=stats,
            seconds=self._watch.rounded(),
            languages=self._counters.languages,
            skipped=self._counters.skipped,
            generated=self._counters.generated,
            partly_parsed=self._counters.partly_parsed,
            status_url=links.status_url if links else None,
            page_url=links.page_url if links else None,
            repository_url=self._job.request.repository_url,
            fetched_history=self._fetched_history,
            vectors=self._job.vectors,
            direct_refusal=self._job.direct_refusal,
            scip=scip,
        )


def _is_declared(entry: TreeEntry) -> bool:
    """Whether central cannot know what is declared of the file now.

    It may be of another language, or text, although it held NUL bytes.
    """
    return bool(entry.declared_language) or is_wide(entry.declared_encoding)


def _with_salvage_note(problem: EmbeddingError, chunks: int) -> EmbeddingError:
    """Return the error with a sentence about the salvaged vectors."""
    message, salvaged = str(problem).removesuffix("."), pluralize(chunks, "chunk")
    return type(problem)(
        f"{message}. The vectors of {salvaged} were salvaged: the next run embeds only the rest."
    )
