"""The vector store of a call, and the cache of store names on disk."""

import hashlib
import json
import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aeterna_code_search.integrations.codequery.configuration import Configuration
from aeterna_code_search.integrations.codequery.errors import Code, CodeQueryError, MissingError
from aeterna_code_search.integrations.codequery.openai_requests import Account
from aeterna_code_search.integrations.codequery.openai_service import OpenAIService, Store
from aeterna_code_search.integrations.codequery.private_files import (
    locked_file,
    read_private,
    write_private,
)
from aeterna_code_search.integrations.codequery.records import Request, is_store_name
from aeterna_code_search.integrations.codequery.retry import Deadline
from indexer.output.terminal import escape_line

_VERSION: Final = 1
_log = logging.getLogger(__name__)


class StoreCache:
    """The cache `stores.json`: {version, stores: {account: {name: id}}}.

    A damaged file is renamed, and `warn` is called.
    """

    def __init__(self, path: Path, account: Account, warn: Callable[[str], None]) -> None:
        self._path = path
        self._account = account.fingerprint
        self._warn = warn

    def lock(self, deadline: Deadline) -> AbstractContextManager[None]:
        """Lock the lookup and creation of stores, so that no name is created twice."""
        busy = (
            "another process is looking for a vector store, and did not end within timeout_ms: "
            "call again"
        )
        return locked_file(self._path.with_name(f"{self._path.name}.lock"), deadline, busy)

    def get(self, name: str) -> str | None:
        """Return the cached id of the name."""
        store_id = self._stores().get(self._account, {}).get(name)
        return store_id if isinstance(store_id, str) and store_id else None

    def put(self, name: str, store_id: str) -> None:
        """Store the id of the name. The caller must hold the lock."""
        stores = self._stores()
        stores.setdefault(self._account, {})[name] = store_id
        content = json.dumps({"version": _VERSION, "stores": stores}, indent=1)
        write_private(self._path, content.encode())

    def _stores(self) -> dict[str, dict[str, Any]]:
        content = read_private(self._path)
        if content is None:
            return {}
        try:
            document = json.loads(content)
            stores = document["stores"]
            if document["version"] == _VERSION and all(
                isinstance(store, dict) for store in stores.values()
            ):
                return dict(stores)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            pass
        self._put_aside()
        return {}

    def _put_aside(self) -> None:
        aside = self._path.with_name(f"{self._path.name}.damaged")
        try:
            self._path.replace(aside)
        except FileNotFoundError:  # another call has renamed it
            return
        except OSError as error:
            raise CodeQueryError(
                Code.CONFIGURATION, f"the cache {self._path} is damaged: delete it"
            ) from error
        message = f"the cache {self._path} was damaged and renamed to {aside}; names are looked up"
        _log.warning("%s", message)
        self._warn(message)


@dataclass(frozen=True, slots=True)
class StoreResolution:
    """The lookup of a call's vector store by its id, else by a name."""

    request: Request
    configuration: Configuration
    directory: Path
    deadline: Deadline

    @property
    def name(self) -> str:
        """The requested name, else the configured one, else one made from the directory."""
        return (
            self.request.vector_store_name
            or self.configuration.default_vector_store_name
            or directory_name(self.directory)
        )

    def store(self, service: OpenAIService, cache: StoreCache) -> Store:
        """Return the store; create it if the name has none. Raises CodeQueryError."""
        if self.request.vector_store_id:
            return self._by_id(service, self.request.vector_store_id)
        name = self.name
        if not is_store_name(name):
            raise CodeQueryError(
                Code.CONFIGURATION,
                f"default_vector_store_name {escape_line(name)!r} is not a valid name",
            )
        cached = cache.get(name)
        if store := _usable_store(service, cached):
            return store
        with cache.lock(self.deadline):
            current = cache.get(name)
            if current != cached and (store := _usable_store(service, current)):
                return store
            store = service.find_or_create(name)
            cache.put(name, store.id)
            return store

    def find(self, service: OpenAIService, cache: StoreCache) -> Store | None:
        """Return the store, as `store` does, without creating or caching one."""
        if self.request.vector_store_id:
            return self._by_id(service, self.request.vector_store_id)
        return _usable_store(service, cache.get(self.name)) or service.find(self.name)

    def _by_id(self, service: OpenAIService, store_id: str) -> Store:
        try:
            return service.store(store_id)
        except MissingError:
            problem = missing_store(store_id)
        raise problem


def _usable_store(service: OpenAIService, store_id: str | None) -> Store | None:
    try:
        return service.store(store_id) if store_id else None
    except MissingError:
        return None


def missing_store(store_id: str) -> CodeQueryError:
    """Return the error for an id that the service does not know."""
    return CodeQueryError(
        Code.STORE_NOT_FOUND,
        f"the vector store {store_id} does not exist, was deleted or has expired: pass another "
        "vector_store_id, or a vector_store_name, which is created if missing",
    )


def directory_name(directory: Path) -> str:
    """Return a name that is unique for the directory's path."""
    digest = hashlib.sha256(str(directory).encode(errors="surrogateescape")).hexdigest()[:8]
    name = escape_line(directory.name.encode(errors="replace").decode(errors="replace"))[:100]
    return f"codequery-{name}-{digest}"
