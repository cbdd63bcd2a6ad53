"""An edit of an agent's configuration file: what it is, shown as a difference, then written."""

import difflib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aeterna_code_search.agents.configuration import SERVER, Agent, Entry, configuration_text
from aeterna_code_search.cli.agent_config.json_file import JsonFile
from indexer.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class FileEdit:
    """The text of a file before and after; None if there is no such file.

    `foreign`: the members of the changed server that this command did not write.
    """

    path: Path
    before: str | None
    after: str
    foreign: tuple[str, ...] = ()

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
    """Return the change that adds or replaces the server. Raises ConfigurationError.

    Other settings of the file stay.
    """
    text, file = _opened(agent, path, entry)
    existing = _server(agent, file)
    if existing == entry:
        return FileEdit(path, text, text or "")
    foreign = () if existing is None else agent.foreign_members(existing)
    try:
        after = file.with_member((agent.servers_key, SERVER), entry)
        return FileEdit(path, text, after, foreign)
    except ValueError as exc:
        raise _unreadable(agent, path, entry, exc) from exc


def removal(agent: Agent, path: Path) -> FileEdit:
    """Return the change that removes the server. Raises ConfigurationError."""
    text, file = _opened(agent, path, {})
    existing = _server(agent, file)
    if text is None or existing is None:
        return FileEdit(path, text, text or "")
    after = file.without_member((agent.servers_key, SERVER))
    return FileEdit(path, text, after, agent.foreign_members(existing))


def _server(agent: Agent, file: Any) -> object:
    servers = file.content.get(agent.servers_key)
    return servers.get(SERVER) if isinstance(servers, Mapping) else None


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
    from aeterna_code_search.cli.agent_config.toml_file import TomlFile  # slow to import

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
