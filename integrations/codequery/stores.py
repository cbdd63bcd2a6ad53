"""Which vector store a call is about, and the names of stores that are kept on disk."""

import hashlib
import json
import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from indexer.output.terminal import escape_line
from integrations.codequery.configuration import Configuration
from integrations.codequery.errors import Code, CodeQueryError, MissingError
from integrations.codequery.openai_requests import Account
from integrations.codequery.openai_service import OpenAIService, Store
from integrations.codequery.private_files import locked_file, read_private, write_private
from integrations.codequery.records import Request, is_store_name
from integrations.codequery.retry import Deadline

_VERSION: Final = 1
_log = logging.getLogger(__name__)


class StoreCache:
    """`stores.json`: {version, stores: {account: {name: id}}}.

    A damaged one is put aside; `warn` is called.
    """

    def __init__(self, path: Path, account: Account, warn: Callable[[str], None]) -> None:
        self._path = path
        self._account = account.fingerprint
        self._warn = warn

    def lock(self, deadline: Deadline) -> AbstractContextManager[None]:
        """Held to look a name up and to make a store: so no name is made twice."""
        busy = (
            "another process is looking for a vector store, and did not end within timeout_ms: "
            "call again"
        )
        return locked_file(self._path.with_name(f"{self._path.name}.lock"), deadline, busy)

    def get(self, name: str) -> str | None:
        """The id that the name had last."""
        store_id = self._stores().get(self._account, {}).get(name)
        return store_id if isinstance(store_id, str) and store_id else None

    def put(self, name: str, store_id: str) -> None:
        """Keep the id, in place of another one. The caller holds the lock."""
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
                isinstance(one, dict) for one in stores.values()
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
        except FileNotFoundError:  # another call was first
            return
        except OSError as error:
            raise CodeQueryError(
                Code.CONFIGURATION, f"the cache {self._path} is damaged: delete it"
            ) from error
        message = f"the cache {self._path} was damaged; it is now {aside}, and names are looked up"
        _log.warning("%s", message)
        self._warn(message)


@dataclass(frozen=True, slots=True)
class StoreResolution:
    """How a call finds its vector store: by its id, else by a name."""

    request: Request
    configuration: Configuration
    directory: Path
    deadline: Deadline

    @property
    def name(self) -> str:
        """The one that is asked for; else the configured one; else one of the directory."""
        return (
            self.request.vector_store_name
            or self.configuration.default_vector_store_name
            or directory_name(self.directory)
        )

    def store(self, service: OpenAIService, cache: StoreCache) -> Store:
        """Made if there is none of the name. Raises CodeQueryError."""
        if self.request.vector_store_id:
            return self._by_id(service, self.request.vector_store_id)
        name = self.name
        if not is_store_name(name):
            raise CodeQueryError(
                Code.CONFIGURATION, f"default_vector_store_name {escape_line(name)!r} is no name"
            )
        kept = cache.get(name)
        if store := _still_there(service, kept):
            return store
        with cache.lock(self.deadline):
            found_meanwhile = cache.get(name)
            if found_meanwhile != kept and (store := _still_there(service, found_meanwhile)):
                return store
            store = service.find_or_create(name)
            cache.put(name, store.id)
            return store

    def known(self, service: OpenAIService, cache: StoreCache) -> Store | None:
        """As `store`, but none is made, and nothing is kept."""
        if self.request.vector_store_id:
            return self._by_id(service, self.request.vector_store_id)
        return _still_there(service, cache.get(self.name)) or service.find(self.name)

    def _by_id(self, service: OpenAIService, store_id: str) -> Store:
        try:
            return service.store(store_id)
        except MissingError:
            problem = missing_store(store_id)
        raise problem


def _still_there(service: OpenAIService, store_id: str | None) -> Store | None:
    try:
        return service.store(store_id) if store_id else None
    except MissingError:
        return None


def missing_store(store_id: str) -> CodeQueryError:
    """What is said of an id that the service does not know."""
    return CodeQueryError(
        Code.STORE_NOT_FOUND,
        f"there is no vector store {store_id}, or it was deleted or has expired: give another "
        "vector_store_id, or a vector_store_name, of which one is made",
    )


def directory_name(directory: Path) -> str:
    """A name that two directories do not share, even where they are called the same."""
    digest = hashlib.sha256(str(directory).encode(errors="surrogateescape")).hexdigest()[:8]
    name = escape_line(directory.name.encode(errors="replace").decode(errors="replace"))[:100]
    return f"codequery-{name}-{digest}"
