"""The token of the embedded service, for processes that may read its data directory."""

import json
import re
import tempfile
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import Final
from urllib.error import HTTPError
from urllib.parse import quote

from central.runtime import loopback
from central.runtime.data_directory import running_server
from indexer.errors import (
    CentralError,
    CentralRefusedError,
    CentralUnreachableError,
    ConfigurationError,
)

_SECONDS: Final = 30.0
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/=-]+")


class LocalToken:
    """A token of `organization`, stored in the data directory and replaced when it is rejected.

    Its methods raise CentralError (no server runs, or it rejects the organisation) and
    ConfigurationError (the data directory cannot be read or written).
    """

    error_hints: Mapping[int | str, str] = {
        401: "a token that the service on this machine has just issued was rejected: check that "
        "AETERNA_DATA_DIR names its data directory",
    }

    def __init__(self, data_dir: Path, organization: str) -> None:
        self._data_dir = data_dir
        self._organization = organization
        # Any name: the service checks which names are valid; none is longer.
        name = quote(organization, safe="").replace(".", "%2E")[:64]
        self._path = data_dir / "local_tokens" / name
        self._token = ""
        self._lock = threading.Lock()

    def bearer(self) -> str:
        """Return the stored token, or a new one."""
        with self._lock:
            self._token = self._token or self._stored() or self._new()
            return self._token

    def refresh(self, refused: str) -> bool:
        """Use a token that another command has stored meanwhile, or request one."""
        with self._lock:
            if self._token == refused:
                stored = self._stored()
                self._token = stored if stored and stored != refused else self._new()
        return True

    def _stored(self) -> str:
        """Read the stored token; "" if it is missing or malformed."""
        try:
            stored = self._path.read_text("latin-1")
        except OSError:
            return ""
        return stored if _TOKEN.fullmatch(stored) else ""

    def _new(self) -> str:
        token = self._request_token()
        try:
            self._store(token)
        except OSError as exc:
            raise ConfigurationError(
                f"{self._path}: cannot store the token of the service on this machine "
                f"({exc.strerror}): fix that, or set AETERNA_DATA_DIR to another directory"
            ) from exc
        return token

    def _store(self, token: str) -> None:
        self._path.parent.mkdir(mode=0o700, exist_ok=True)
        # Readable by its owner only, and complete when it gets its name.
        with tempfile.NamedTemporaryFile("w", dir=self._path.parent, delete=False) as file:
            file.write(token)
        try:
            Path(file.name).replace(self._path)
        except OSError:
            Path(file.name).unlink()
            raise

    def _request_token(self) -> str:
        server = running_server(self._data_dir)
        if server is None:
            raise CentralUnreachableError(
                f"the service of {self._data_dir} has ended; run the command again"
            )
        arguments = {"organization": self._organization}
        try:
            answer = loopback.ask(
                server, self._data_dir, "/internal/local-token", arguments, seconds=_SECONDS
            )
        except loopback.NoKeyError as exc:
            raise ConfigurationError(str(exc)) from exc
        except HTTPError as exc:
            raise _refusal(exc) from exc
        except (OSError, HTTPException) as exc:
            raise CentralUnreachableError(
                f"the service at {server['url']} (pid {server['pid']}) does not answer: {exc}"
            ) from exc
        try:
            return str(json.loads(answer)["access_token"])
        except (ValueError, LookupError, TypeError) as exc:
            raise CentralError(
                f"the server at {server['url']} (pid {server['pid']}) issues no token; it may be "
                "another version of the service: stop it, and run the command again"
            ) from exc


def _refusal(error: HTTPError) -> CentralError:
    try:
        document = json.loads(error.read())
    except ValueError:
        document = None
    document = document if isinstance(document, dict) else {}
    detail = document.get("detail") or HTTPStatus(error.code).phrase
    code = str(document.get("code", "refused"))
    return CentralRefusedError(
        f"the service on this machine issues no token: {detail}", code=code, status=error.code
    )
