"""The SCIP indexes of a run: which are read, what differs from central's documents, the report."""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any, Final

from indexer.bundle.encode import encode_scip, is_readable
from indexer.bundle.lines import path_problem
from indexer.client.api import IndexingClient, OpenedRun, StoredScip
from indexer.config.project_file import PROJECT_FILE, parse_project_file
from indexer.decoding import decode_text
from indexer.errors import ConfigurationError, ScipDocumentError
from indexer.git.repository import Repository
from indexer.output.terminal import NAMES, SHOWN_NAME_CHARACTERS
from indexer.pipeline.job import Job
from indexer.pipeline.plan import selected_entries
from indexer.pipeline.report import ScipReport
from indexer.pipeline.select import needs_content
from indexer.records.files import SCIP, SkipReason, TreeEntry
from indexer.records.runs import Mode, Plan, Reason
from indexer.records.scip import ScipRemoval

if TYPE_CHECKING:
    from indexer.scip.documents import IndexedDocument
    from indexer.scip.files import NamedIndex
    from indexer.scip.reading import IndexHead

SCIP_DOCUMENTS: Final = 200_000  # of a run
_EXPORTED_BY: Final = "aeterna-code-search"
_IN_MEMORY_BYTES: Final = 16_000_000  # of lines; the rest is on disk
_log = logging.getLogger(__name__)


class ScipChanges:
    """Lines to send, on disk if there are many. The owner must call `close`."""

    def __init__(self) -> None:
        self.report: ScipReport | None = None
        self._file = SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115 (`close` ends it)
        self._count = 0

    def close(self) -> None:
        """Delete the lines."""
        self._file.close()

    def __bool__(self) -> bool:
        return self._count > 0

    def add(self, line: bytes) -> None:
        """Keep a line."""
        self._file.write(line)
        self._count += 1

    def lines(self) -> Iterator[bytes]:
        """Yield the lines in order."""
        self._file.seek(0)
        yield from self._file


def scip_plan(plan: Plan, changes: ScipChanges, commit: str) -> Plan:
    """Return the plan of a run that has something to do for its SCIP index alone."""
    if plan.reason is Reason.UP_TO_DATE and changes:
        return Plan(Mode.INCREMENTAL, Reason.SCIP_CHANGED, commit)
    return plan


def find_changes(
    changes: ScipChanges,
    *,
    job: Job,
    repository: Repository,
    central: IndexingClient,
    opened: OpenedRun,
    plan: Plan,
) -> None:
    """Compare the run's indexes with the documents that central has.

    Raises ScipInvalidError, ConfigurationError, CentralError and GitError; nothing was sent then.
    """
    scip = job.scip
    if scip is None or plan.reason is Reason.SUPERSEDED:
        return
    commit = job.request.commit_sha
    names = () if scip.indexes else _configured(repository, commit)
    if not (scip.indexes or names):
        is_gone = scip.is_none or _was_configured(repository, opened, plan, commit)
        if is_gone and SCIP in opened.record_fields:
            stored = central.scip_documents(opened.run_id)
            changes.report = _remove(changes, stored, set(), ScipReport())
        return
    indexes, missing = (scip.indexes, []) if scip.indexes else _found(names, repository)
    changes.report = _problem(opened, scip.commit, commit, missing)
    if changes.report is None or changes.report.code == "scip_missing":
        stored = central.scip_documents(opened.run_id)
        reading = _Reading(changes, repository, commit, stored, opened.batch_bytes)
        for index in indexes:
            reading.read(index)
        changes.report = _compared(changes, reading, stored, changes.report)
    if changes.report.problem:
        _log.warning("SCIP: %s", changes.report.problem)


def _compared(
    changes: ScipChanges,
    reading: "_Reading",
    stored: Mapping[str, StoredScip],
    missing: ScipReport | None,
) -> ScipReport:
    """Return the report. What is not in the indexes is removed, unless one of these is missing."""
    report = reading.report()
    if missing:
        return replace(report, code=missing.code, problem=missing.problem)
    if report.outside < report.documents:
        return _remove(changes, stored, reading.kept, report)
    return replace(
        report,
        code="scip_no_file",
        problem=f"none of the {report.documents:,} documents is of a file of this commit: name "
        "their directory with PATH:PREFIX, or make the index of this repository. What is stored "
        "is kept",
    )


def _configured(repository: Repository, commit: str) -> tuple[str, ...]:
    return parse_project_file(repository.read_path(commit, PROJECT_FILE) or b"").scip_paths


def _was_configured(repository: Repository, opened: OpenedRun, plan: Plan, commit: str) -> bool:
    """Whether the base's `.codesearch.toml` named indexes. An incremental run has the same file."""
    base = opened.base_commit
    if plan.mode not in {Mode.FULL, Mode.FORCE} or base in {None, commit}:
        return False
    with suppress(ConfigurationError):
        return bool(base and repository.has_commit(base) and _configured(repository, base))
    return False


def _found(
    names: Sequence[str], repository: Repository
) -> "tuple[Sequence[NamedIndex], list[str]]":
    """Return the indexes that are there, and the names that match none."""
    from indexer.scip.files import named_indexes

    missing = [name for name in names if not named_indexes([name], repository.root)]
    return named_indexes(names, repository.root), missing


def _problem(
    opened: OpenedRun, made_of: str, commit: str, missing: Sequence[str]
) -> ScipReport | None:
    if SCIP not in opened.record_fields:
        return ScipReport(
            code="scip_not_supported",
            problem="the service is older than this indexer and reads no SCIP indexes: upgrade it",
        )
    if made_of and not commit.startswith(made_of):
        return ScipReport(
            code="scip_other_commit",
            problem=f"the SCIP index is of {made_of[:12]}, and {commit[:12]} is indexed: make it "
            "of the same commit. What is stored is kept",
        )
    if missing:
        return ScipReport(
            code="scip_missing",
            problem=f"{PROJECT_FILE} names SCIP indexes that are not in this checkout: "
            f"{', '.join(missing[:NAMES])}. Make them in a step before. What is stored is kept",
        )
    return None


def _remove(
    changes: ScipChanges, stored: Mapping[str, StoredScip], kept: set[str], report: ScipReport
) -> ScipReport:
    gone = sorted(stored.keys() - kept)
    for path in gone:
        changes.add(encode_scip(ScipRemoval(path)))
    return replace(report, removed=len(gone))


class _Reading:
    """Reads the indexes of one run. `kept`: paths whose documents are stored after it."""

    def __init__(
        self,
        changes: ScipChanges,
        repository: Repository,
        commit: str,
        stored: Mapping[str, StoredScip],
        batch_bytes: int,
    ) -> None:
        self._changes = changes
        self._repository = repository
        self._commit = commit
        self._stored = stored
        self._batch_bytes = batch_bytes
        self._entries = {
            entry.path: entry
            for entry in selected_entries(repository, commit, repository.tree(commit))
            if needs_content(entry)
        }
        self._counts: Counter[str] = Counter()  # by the names of a report's fields
        self._first_refused: list[str] = []
        self._seen: set[str] = set()
        self.kept: set[str] = set()

    def report(self) -> ScipReport:
        """Return the numbers so far."""
        counts: dict[str, Any] = self._counts
        return ScipReport(**counts, first_refused=tuple(self._first_refused))

    def read(self, index: "NamedIndex") -> None:
        """Compare all documents of an index. Raises ScipInvalidError and GitError."""
        from indexer.scip.reading import IndexFile, invalid_index

        with IndexFile(index.path, index.name) as file:
            if file.head.tool == _EXPORTED_BY:
                raise invalid_index(
                    index.name, "it is an export of this service, and no compiler's"
                )
            place = _Directory(index, file.head, self._repository, self._entries)
            for data in file.documents():
                self._counts["documents"] += 1
                if self._counts["documents"] > SCIP_DOCUMENTS:
                    raise invalid_index(
                        index.name, f"at most {SCIP_DOCUMENTS:,} documents are read"
                    )
                self._document(data, file.head, place)

    def _document(self, data: bytes, head: "IndexHead", place: "_Directory") -> None:
        from indexer.scip.documents import read_document

        try:
            document = read_document(data, head)
        except ScipDocumentError as exc:
            self._refuse(f"document {self._counts['documents']:,}", exc)
            return
        path = place.path(document.path)
        if path is None:
            self._counts["outside"] += 1
            return
        try:
            self._compare(document, path)
        except ScipDocumentError as exc:
            self._refuse(document.path, exc)

    def _refuse(self, name: str, problem: ScipDocumentError) -> None:
        self._counts["refused"] += 1
        if self._counts["refused"] <= NAMES:
            self._first_refused.append(f"{name[:SHOWN_NAME_CHARACTERS]}: {problem}")

    def _compare(self, document: "IndexedDocument", path: str) -> None:
        entry = self._entries.get(path)
        if entry is None or path in self._seen:
            self._counts["outside" if entry is None else "duplicate"] += 1
            return
        self._seen.add(path)
        stored = self._stored.get(path)
        if stored and (stored.blob, stored.digest) == (entry.blob, document.digest):
            self._counts["unchanged"] += 1
        else:
            self._changes.add(self._line(document, entry))
            self._counts["sent"] += 1
        self._counts["cut"] += document.cut
        self.kept.add(path)

    def _line(self, document: "IndexedDocument", entry: TreeEntry) -> bytes:
        from indexer.scip.documents import check_document

        content = self._repository.blobs.read(entry.blob)
        decoded = decode_text(entry.path, content, entry.declared_encoding)
        if isinstance(decoded, SkipReason):
            raise ScipDocumentError(f"the file is not indexed ({decoded})")
        checked = check_document(document, path=entry.path, blob=entry.blob, text=decoded.text)
        line = encode_scip(checked)
        if len(line) > self._batch_bytes or not is_readable(line):
            raise ScipDocumentError("it is larger than an upload may be")
        return line


class _Directory:
    """Where the documents of an index are in the repository."""

    def __init__(
        self,
        index: "NamedIndex",
        head: "IndexHead",
        repository: Repository,
        entries: Mapping[str, TreeEntry],
    ) -> None:
        self._entries = entries
        self._prefixes = (
            [index.prefix] if index.prefix is not None else _prefixes(head.root, repository)
        )

    def path(self, relative: str) -> str | None:
        """Return the path in the repository; None for one that leaves it.

        scip-go has files of the compiler's cache so. The first document that is a file of the
        commit decides among the possible directories.
        """
        if path_problem(relative) or "\\" in relative or "\0" in relative:
            return None
        paths = [f"{prefix}/{relative}" if prefix else relative for prefix in self._prefixes]
        for prefix, path in zip(self._prefixes, paths, strict=True):
            if path in self._entries:
                self._prefixes = [prefix]
                return path
        return paths[-1]


def _prefixes(root: str, repository: Repository) -> list[str]:
    """Return the directories that a project root may be, the likeliest first.

    The index may have been made on another machine: then the end of the path tells.
    """
    own, top = PurePosixPath(root), PurePosixPath(repository.root.resolve().as_posix())
    if own.is_relative_to(top):
        inside = own.relative_to(top).as_posix()
        return ["" if inside == "." else inside]
    parts = [part for part in own.parts if part != "/"]
    ends = ["/".join(parts[start:]) for start in range(1, len(parts))]
    return [*(end for end in ends if ".." not in end.split("/")), ""]
