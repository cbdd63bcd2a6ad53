"""The credential of the embedded service: it gives one to whoever may read its data directory."""

import json
import tempfile
import threading
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote

from central import loopback
from central.runtime import running_server
from indexer.errors import CentralError, CentralRefusedError, CentralUnreachableError

_SECONDS: Final = 30.0


class LocalToken:
    """A token of `organization`, kept in the data directory and asked for anew when it is refused.

    Its methods raise CentralError: no server runs, or it refuses the organisation.
    """

    hints: Mapping[int | str, str] = {
        401: "even a token that the service on this machine has just given was refused; does "
        "AETERNA_DATA_DIR name its data directory?",
    }

    def __init__(self, data_dir: Path, organization: str) -> None:
        self._data_dir = data_dir
        self._organization = organization
        # Whatever it is called: only the service says which names are valid, none of them longer.
        name = quote(organization, safe="").replace(".", "%2E")[:64]
        self._path = data_dir / "local_tokens" / name
        self._token = ""
        self._lock = threading.Lock()

    def bearer(self) -> str:
        """The token that is kept; a new one where none is."""
        with self._lock:
            self._token = self._token or self._kept() or self._new()
            return self._token

    def renew(self, refused: str) -> bool:
        """Take another command's new token, else ask for one."""
        with self._lock:
            if self._token == refused:
                kept = self._kept()
                self._token = kept if kept and kept != refused else self._new()
        return True

    def _kept(self) -> str:
        return self._path.read_text("ascii") if self._path.is_file() else ""

    def _new(self) -> str:
        token = self._asked()
        self._path.parent.mkdir(mode=0o700, exist_ok=True)
        # Made for its owner alone, and whole when it appears under its name.
        with tempfile.NamedTemporaryFile(
            "w", dir=self._path.parent, encoding="ascii", delete=False
        ) as file:
            file.write(token)
        Path(file.name).replace(self._path)
        return token

    def _asked(self) -> str:
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
        except HTTPError as exc:
            raise _refusal(exc) from exc
        except (URLError, TimeoutError) as exc:
            raise CentralUnreachableError(
                f"the service at {server['url']} (pid {server['pid']}) does not answer: {exc}"
            ) from exc
        token: str = json.loads(answer)["access_token"]
        return token


def _refusal(error: HTTPError) -> CentralError:
    try:
        document = json.loads(error.read())
    except ValueError:
        document = {}
    detail = document.get("detail") or HTTPStatus(error.code).phrase
    code = str(document.get("code", "refused"))
    return CentralRefusedError(
        f"the service on this machine gives no token: {detail}", code=code, status=error.code
    )
