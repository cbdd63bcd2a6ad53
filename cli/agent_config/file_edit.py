"""An edit of an agent's configuration file: what it is, shown as a difference, then written."""

import difflib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.configuration import SERVER, Agent, Entry, configuration_text, is_ours, merged
from cli.agent_config.json_file import JsonFile
from indexer.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class FileEdit:
    """The text of a file before and after; None if there is no such file."""

    path: Path
    before: str | None
    after: str

    @property
    def is_empty(self) -> bool:
        """Whether the file stays as it is."""
        return self.after == (self.before or "")

    def difference(self) -> str:
        """Format the change as `diff -u` does."""
        old = (self.before or "").splitlines(keepends=True)
        new = self.after.splitlines(keepends=True)
        name = str(self.path)
        lines = difflib.unified_diff(old, new, name if old else "/dev/null", name, n=1)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def write(self) -> None:
        """Replace the file at once; its rights stay. Raises ConfigurationError."""
        try:
            if _read(self.path) != self.before:
                raise ConfigurationError(
                    f"{self.path} was changed meanwhile: type the command again"
                )
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(
                "w", dir=self.path.parent, encoding="utf-8", newline="", delete=False
            ) as file:
                file.write(self.after)
            mode = self.path.stat().st_mode & 0o777 if self.before is not None else 0o644
            Path(file.name).chmod(mode)
            os.replace(file.name, self.path)  # noqa: PTH105 - a name, not a Path
        except OSError as exc:
            raise ConfigurationError(f"{self.path} cannot be written: {exc.strerror}") from exc


def installation(agent: Agent, path: Path, entry: Entry) -> FileEdit:
    """Return the change that adds or updates the server. Raises ConfigurationError.

    Other settings of the file, and what the user added to the server, stay.
    """
    text, file = _opened(agent, path, entry)
    servers = file.content.get(agent.servers_key, {})
    existing = servers.get(SERVER) if isinstance(servers, Mapping) else None
    if existing is not None and not is_ours(existing):
        raise ConfigurationError(
            f"{path} has another server with the name {SERVER}: rename that one first"
        )
    wanted = merged(existing or {}, entry)
    if existing == wanted:
        return FileEdit(path, text, text or "")
    try:
        return FileEdit(path, text, file.with_member((agent.servers_key, SERVER), wanted))
    except ValueError as exc:
        raise _unreadable(agent, path, entry, exc) from exc


def removal(agent: Agent, path: Path) -> FileEdit:
    """Return the change that removes the server. Raises ConfigurationError."""
    text, file = _opened(agent, path, {})
    servers = file.content.get(agent.servers_key, {})
    existing = servers.get(SERVER) if isinstance(servers, Mapping) else None
    if text is None or existing is None:
        return FileEdit(path, text, text or "")
    if not is_ours(existing):
        raise ConfigurationError(
            f"the server {SERVER} in {path} is another program: remove it by hand"
        )
    return FileEdit(path, text, file.without_member((agent.servers_key, SERVER)))


def _opened(agent: Agent, path: Path, entry: Entry) -> tuple[str | None, Any]:
    try:
        text = _read(path)
    except OSError as exc:
        raise ConfigurationError(f"{path} cannot be read: {exc.strerror}") from exc
    except ValueError as exc:
        raise _unreadable(agent, path, entry, exc) from exc
    try:
        return text, _file(path, text or "")
    except (ValueError, RecursionError) as exc:
        raise _unreadable(agent, path, entry, exc) from exc


def _file(path: Path, text: str) -> Any:
    if path.suffix == ".json":
        return JsonFile(text)
    from cli.agent_config.toml_file import TomlFile  # slow to import

    return TomlFile(text)


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None


def _unreadable(agent: Agent, path: Path, entry: Entry, reason: Exception) -> ConfigurationError:
    pasted = configuration_text(agent, path.name, entry) if entry else ""
    advice = f" Or paste this into it yourself:\n{pasted}" if entry else ""
    return ConfigurationError(
        f"{path} cannot be understood ({reason or 'too deep'}), so it was not changed. Correct it, "
        f"and type the command again.{advice}"
    )
