"""Execution of a plan: uploads first, then deletion of the replaced files.

The next call repairs an interrupted one: a journal has the ids of uploaded files until they are in
the store or deleted, and the next plan removes duplicates.
"""

import os
import threading
import time
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from aeterna_code_search.integrations.codequery.discovery import read_inside
from aeterna_code_search.integrations.codequery.errors import Code, CodeQueryError
from aeterna_code_search.integrations.codequery.hashes import verdict
from aeterna_code_search.integrations.codequery.openai_service import OpenAIService, Store
from aeterna_code_search.integrations.codequery.plan import Entry, Move, Plan, Upload
from aeterna_code_search.integrations.codequery.private_files import read_private, write_private
from aeterna_code_search.integrations.codequery.records import Response
from aeterna_code_search.integrations.codequery.retry import Deadline

_FIRST_POLL_SECONDS: Final = 0.05
_LONGEST_POLL_SECONDS: Final = 2.0
_FAILED: Final = "the service could not read the file"


class Journal:
    """Ids of files that may not be in a store, one per line. Requires the store's lock."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def ids(self) -> list[str]:
        """Return the ids of interrupted calls."""
        lines = (read_private(self._path) or b"").decode("ascii", errors="ignore").split("\n")
        return list(dict.fromkeys(filter(None, lines[:-1])))  # an incomplete last line is dropped

    def add(self, file_id: str) -> None:
        """Append the id, so that it survives if this process is killed."""
        number = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            os.write(number, f"{file_id}\n".encode())
        finally:
            os.close(number)

    def clear(self) -> None:
        """Clear the journal: no upload is pending."""
        if self._path.exists():
            write_private(self._path, b"")


@dataclass(slots=True)
class Reindex:
    """One update of a store. It writes counts and failures to `response` as it runs."""

    service: OpenAIService
    store: Store
    root: Path
    journal: Journal
    deadline: Deadline
    concurrent_limit: int
    response: Response
    _attached: dict[str, str] = field(default_factory=dict)  # file id → path
    _done: list[tuple[str, tuple[Entry, ...]]] = field(default_factory=list)
    _counting: threading.Lock = field(default_factory=threading.Lock)

    def repair(self, ids: Collection[str]) -> None:
        """Delete files of interrupted calls that are not among the store's `ids`."""
        lost = [id_ for id_ in self.journal.ids() if id_ not in ids]
        self._each(
            (partial(self.service.delete, file_id), "(interrupted upload)") for file_id in lost
        )
        if not self.response.failures:
            self.journal.clear()

    def run(self, plan: Plan) -> None:
        """Execute the plan. Raises CodeQueryError for errors that affect all files."""
        self._each(
            [
                *((partial(self._move, move), move.path) for move in plan.moves),
                *((partial(self._upload, upload), upload.path) for upload in plan.uploads),
            ]
        )
        failed = self._processed(plan)
        replaced_entries = [
            entry for file_id, replaced in self._done if file_id not in failed for entry in replaced
        ]
        self._each(
            (partial(self._delete, kept_entry), kept_entry.path) for kept_entry in replaced_entries
        )
        self._each((partial(self._delete_stale, delete), delete.path) for delete in plan.deletes)
        if not self.response.failures:
            self.journal.clear()

    # One file

    def _upload(self, upload: Upload) -> None:
        content = read_inside(self.root, upload.path)
        digest, reason = verdict(upload.path, content)
        if content is None or reason:  # it has changed since it was planned
            with self._counting:
                self.response.skipped_count += 1
            self.response.skipped.append({"path": upload.path, "reason": reason})
            return
        file_id = self.service.upload(upload.path, content)
        self.journal.add(file_id)
        self.service.attach(self.store.id, file_id, upload.path, digest)
        self._attached[file_id] = upload.path
        self._done.append((file_id, upload.replaces))
        with self._counting:
            self.response.indexed_count += 1

    def _move(self, move: Move) -> None:
        self.service.rename(self.store.id, move.entry, move.path)
        self._done.append((move.entry.file_id, move.replaces))
        with self._counting:
            self.response.moved_count += 1

    def _delete(self, entry: Entry) -> None:
        self.journal.add(entry.file_id)
        self.service.remove(self.store.id, entry.file_id)
        self.service.delete(entry.file_id)

    def _delete_stale(self, entry: Entry) -> None:
        self._delete(entry)
        with self._counting:
            self.response.deleted_count += 1

    # All of them

    def _processed(self, plan: Plan) -> dict[str, str]:
        """Wait until the service has processed the files; return those that failed."""
        paths = {
            kept_entry.file_id: kept_entry.path
            for kept_entry in plan.unchanged
            if kept_entry.status == "in_progress"
        }
        paths |= self._attached
        failed: dict[str, str] = {}
        if paths:
            self._wait_for(paths)
            failed = self._failed(paths)
        for entry in plan.unchanged:
            if entry.status == "failed":
                paths[entry.file_id], failed[entry.file_id] = entry.path, entry.error_code
        for file_id, code in failed.items():
            self._fail(paths[file_id], f"{_FAILED} ({code or 'no reason'})")
            self.response.indexed_count -= file_id in self._attached
        return failed

    def _wait_for(self, files: Collection[str]) -> None:
        pause = _FIRST_POLL_SECONDS
        while self.service.is_reading(self.store.id, files):
            self.deadline.check("the service was reading uploaded files")
            time.sleep(min(pause, self.deadline.seconds))
            pause = min(2 * pause, _LONGEST_POLL_SECONDS)

    def _failed(self, files: Collection[str]) -> dict[str, str]:
        return {
            entry.file_id: entry.error_code
            for status in ("failed", "cancelled")
            for entry in self.service.entries(self.store.id, status)
            if entry.file_id in files
        }

    def _fail(self, path: str, error: str) -> None:
        self.response.failures.append({"path": path, "error": error})

    def _each(self, tasks: Iterable[tuple[Callable[[], None], str]]) -> None:
        """Run the tasks concurrently; record failures of single paths, raise general ones."""
        waiting = list(tasks)
        if not waiting:
            return
        with ThreadPoolExecutor(self.concurrent_limit, "codequery") as pool:
            futures = [pool.submit(self._one, task, path) for task, path in waiting]
            try:
                wait(futures, return_when=FIRST_EXCEPTION)
            finally:
                for future in futures:
                    future.cancel()
        for future in futures:
            if not future.cancelled() and (problem := future.exception()):
                raise problem

    def _one(self, task: Callable[[], None], path: str) -> None:
        self.deadline.check("files were uploaded")
        try:
            task()
        except CodeQueryError as error:
            if error.is_general:
                raise
            self._fail(path, error.message)


def nothing_indexed(response: Response) -> CodeQueryError:
    """Return the error for a store that is empty because each file failed."""
    first = response.failures[0]
    return CodeQueryError(
        Code.INDEXING_FAILED,
        f"no file could be indexed; the first, {first['path']}: {first['error']}",
    )
