"""CodeQuery: answers questions about a directory's files from an OpenAI vector store."""

import hashlib
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from aeterna_code_search.integrations.codequery.configuration import Configuration
from aeterna_code_search.integrations.codequery.discovery import (
    DiscoveredFiles,
    discovered_files,
    named_files,
)
from aeterna_code_search.integrations.codequery.errors import Code, CodeQueryError, MissingError
from aeterna_code_search.integrations.codequery.hashes import LocalFile, local_files
from aeterna_code_search.integrations.codequery.openai_requests import Account
from aeterna_code_search.integrations.codequery.openai_service import OpenAIService, Store
from aeterna_code_search.integrations.codequery.plan import Plan, make_plan
from aeterna_code_search.integrations.codequery.private_files import locked_file
from aeterna_code_search.integrations.codequery.records import (
    CODEQUERY_RESULTS,
    Request,
    Response,
    listed,
    requested_query,
)
from aeterna_code_search.integrations.codequery.reindex import Journal, Reindex, nothing_indexed
from aeterna_code_search.integrations.codequery.retry import Deadline
from aeterna_code_search.integrations.codequery.stores import (
    StoreCache,
    StoreResolution,
    missing_store,
)
from indexer.config.settings import read_environment

CODEQUERY_RESULT_CHARACTERS: Final = 2_000  # of the text of a result
NAME: Final = "CodeQuery"
ALIASES: Final = ("code_query", "code-query")


def codequery(
    request: Mapping[str, Any] | None = None,
    /,
    *,
    environ: Mapping[str, str] | None = None,
    directory: Path | None = None,
    dry_run: bool = False,
    **parameters: Any,
) -> dict[str, Any]:
    """Index the directory's files incrementally, and answer `query` from them.

    The request is a mapping or keyword arguments, with the fields of `records.Request`. The
    answer is that of FR-CQ-03. After an expected error its `status` is "error", and `error` has
    `code` and `message`. It ends within `timeout_ms`. `dry_run`: list what would be uploaded,
    deleted and moved, with sizes in bytes, and change nothing.
    """
    arguments = (
        {**(request or {}), **parameters}
        if request is None or isinstance(request, Mapping)
        else request
    )
    response = Response(requested_query(arguments))
    try:
        here = (directory or Path.cwd()).resolve()
        environ = read_environment() if environ is None else environ
        configuration = Configuration.load(environ, here)
        if not (configuration.enabled or dry_run):
            raise CodeQueryError(
                Code.DISABLED,
                "CodeQuery is disabled, because it uploads files to OpenAI. To enable it, write "
                f"`enabled = true` below [codequery] in {configuration.source}, your own settings",
            )
        parsed = Request.read(arguments, configuration)
        call = _Call(parsed, configuration, environ, here, response, Deadline(parsed.timeout_ms))
        return _in_time(call.dry_run if dry_run else call.run, call.deadline)
    except CodeQueryError as error:
        return response.document(error)


def _in_time(work: Callable[[], dict[str, Any]], deadline: Deadline) -> dict[str, Any]:
    """Return the answer of `work`, which runs in a thread until the deadline.

    Requests have their own timeouts; this one covers an answer that never ends.
    """
    outcome: list[dict[str, Any] | BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001 - re-raised in the caller's thread
            outcome.append(error)

    thread = threading.Thread(target=run, name="codequery", daemon=True)
    thread.start()
    thread.join(deadline.seconds + _GRACE_SECONDS)
    if not outcome:
        raise deadline.passed("waiting for the service")
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


_GRACE_SECONDS: Final = 0.25  # time for the thread to report its own timeout


@dataclass(frozen=True, slots=True)
class _Call:
    """One call, from discovery to the answer."""

    request: Request
    configuration: Configuration
    environ: Mapping[str, str] = field(repr=False)
    directory: Path
    response: Response
    deadline: Deadline

    def run(self) -> dict[str, Any]:
        account = Account.load(self.environ)
        discovered, files = self._files()
        with self._service(account) as service:
            cache, resolution = self._stores(account)
            store = resolution.store(service, cache)
            self._indexed(service, discovered, files, store)
            self._answer(service, store)
        return self.response.document()

    def dry_run(self) -> dict[str, Any]:
        """Return what `run` would do; a store is only read, if a key is set and it is enabled."""
        discovered, files = self._files()
        store, plan = None, make_plan({path: file.hash for path, file in files.items()}, ())
        has_key = self.environ.get("OPENAI_API_KEY") or self.environ.get("OPENAI_API_KEY_FILE")
        if self.configuration.enabled and has_key:
            account = Account.load(self.environ)
            with self._service(account) as service:
                cache, resolution = self._stores(account)
                store = resolution.find(service, cache)
                plan = self._dry_plan(service, store, discovered, files) if store else plan
        return self._dry_document(store, plan, files)

    def _files(self) -> tuple[DiscoveredFiles, dict[str, LocalFile]]:
        """Discover and hash the files. Raises CodeQueryError if there are none."""
        paths = self.request.file_paths
        rules = self.configuration.discovery
        if paths is None:
            discovered = discovered_files(self.directory, rules, self.environ, self.deadline)
        else:
            discovered = named_files(self.directory, paths)
        name = hashlib.sha256(str(self.directory).encode(errors="surrogateescape")).hexdigest()
        hashes_path = self._beside_cache("hashes", f"{name[:24]}.json")
        files = local_files(
            self.directory, discovered, hashes_path, self.deadline, keep_others=bool(paths)
        )
        self.response.skipped_count = len(discovered.skipped)
        self.response.skipped += (
            {"path": path, "reason": reason} for path, reason in sorted(discovered.skipped.items())
        )
        if not files and not discovered.missing:
            note = f": {len(discovered.skipped)} were skipped" if discovered.skipped else ""
            raise CodeQueryError(
                Code.NO_FILES, f"there are no files to index in {self.directory}{note}"
            )
        return discovered, files

    def _indexed(
        self,
        service: OpenAIService,
        discovered: DiscoveredFiles,
        files: Mapping[str, LocalFile],
        store: Store,
    ) -> None:
        """Make the store equal to the files. Raises CodeQueryError."""
        self.response.vector_store_id = store.id
        self.response.vector_store_name = store.name
        try:
            self._reindex(service, store, discovered, files)
        except MissingError:
            problem = missing_store(store.id)
        else:
            return
        raise problem

    def _reindex(
        self,
        service: OpenAIService,
        store: Store,
        discovered: DiscoveredFiles,
        files: Mapping[str, LocalFile],
    ) -> None:
        name = f"{hashlib.sha256(store.id.encode()).hexdigest()[:24]}"
        busy = (
            f"another process is indexing the vector store {store.id}, and did not end within "
            "timeout_ms: call again, or with a larger timeout_ms"
        )
        with locked_file(self._beside_cache("locks", name), self.deadline, busy):
            entries, ids = service.entries_and_ids(store.id)
            self._beside_cache("pending", "").mkdir(mode=0o700, exist_ok=True)
            work = Reindex(
                service=service,
                store=store,
                root=self.directory,
                journal=Journal(self._beside_cache("pending", name)),
                deadline=self.deadline,
                concurrent_limit=self.request.concurrent_limit,
                response=self.response,
            )
            work.repair(ids)
            plan = self._plan(entries, discovered, files)
            if not (files or plan.deletes):
                raise CodeQueryError(Code.NO_FILES, "none of the files in file_paths exists")
            self.response.skipped_count += len(plan.unchanged)
            work.run(plan)
        self._report_missing(discovered, plan)
        is_empty = not (plan.unchanged or plan.moves or self.response.indexed_count)
        if is_empty and self.response.failures:
            raise nothing_indexed(self.response)

    def _plan(
        self, entries: Any, discovered: DiscoveredFiles, files: Mapping[str, LocalFile]
    ) -> Plan:
        local = {path: file.hash for path, file in files.items()}
        if self.request.file_paths is None:
            return make_plan(local, entries)
        # Requested files that are skipped now are deleted from the store.
        return make_plan(local, entries, scope={*local, *discovered.missing, *discovered.skipped})

    def _dry_plan(
        self,
        service: OpenAIService,
        store: Store,
        discovered: DiscoveredFiles,
        files: Mapping[str, LocalFile],
    ) -> Plan:
        try:
            return self._plan(service.entries(store.id), discovered, files)
        except MissingError:
            return self._plan((), discovered, files)

    def _report_missing(self, discovered: DiscoveredFiles, plan: Plan) -> None:
        deleted = {entry.path for entry in plan.deletes}
        self.response.failures += (
            {"path": path, "error": "the file does not exist"}
            for path in discovered.missing
            if path not in deleted
        )

    def _answer(self, service: OpenAIService, store: Store) -> None:
        answer = service.answer(
            store.id,
            self.request.query,
            model=self.request.model,
            max_num_results=self.request.max_num_results,
            include_results=self.request.include_results,
        )
        if not answer.text.strip():
            raise CodeQueryError(
                Code.NO_ANSWER,
                f"{self.request.model} wrote no answer: ask again, or with another model",
            )
        self.response.answer = answer.text
        if self.request.include_results:
            limit = self.request.max_num_results or CODEQUERY_RESULTS
            rows = [_result(result) for result in answer.results if isinstance(result, Mapping)]
            self.response.results = sorted(rows, key=lambda row: -row["score"])[:limit]

    def _dry_document(
        self, store: Store | None, plan: Plan, files: Mapping[str, LocalFile]
    ) -> dict[str, Any]:
        uploads = [
            {"path": upload.path, "bytes": files[upload.path].size} for upload in plan.uploads
        ]
        document: dict[str, Any] = {
            "status": "ok",
            "dry_run": True,
            "enabled": self.configuration.enabled,
            "vector_store_id": store.id if store else self.request.vector_store_id,
            "vector_store_name": store.name if store else self._resolution.name,
            "query": self.request.query,
            "upload_count": len(uploads),
            "upload_bytes": sum(files[upload.path].size for upload in plan.uploads),
            "uploads": uploads,
            "deletes": [delete.path for delete in plan.deletes],
            "moves": [{"from": move.entry.path, "to": move.path} for move in plan.moves],
            "unchanged_count": len(plan.unchanged),
        }
        return document | listed("skipped", self.response.skipped)

    @property
    def _resolution(self) -> StoreResolution:
        return StoreResolution(self.request, self.configuration, self.directory, self.deadline)

    def _stores(self, account: Account) -> tuple[StoreCache, StoreResolution]:
        cache = StoreCache(self.configuration.cache_path, account, self.response.warnings.append)
        return cache, self._resolution

    def _service(self, account: Account) -> "closing[OpenAIService]":
        return closing(OpenAIService(account, self.configuration.retry, self.deadline))

    def _beside_cache(self, kind: str, name: str) -> Path:
        return self.configuration.cache_path.parent / kind / name


def _result(match: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a match to the response's form."""
    attributes = match.get("attributes")
    path = attributes.get("path") if isinstance(attributes, Mapping) else None
    score = match.get("score")
    return {
        "file_path": _replace_surrogates(path or match.get("filename")),
        "score": float(score) if isinstance(score, int | float) and 0 <= score <= 1 else 0.0,
        "text": _replace_surrogates(match.get("text"))[:CODEQUERY_RESULT_CHARACTERS],
    }


def _replace_surrogates(value: object) -> str:
    """Return a text of the service without lone surrogates."""
    return str(value or "").encode(errors="replace").decode()
