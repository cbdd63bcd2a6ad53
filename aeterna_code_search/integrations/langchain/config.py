"""`config.yaml`: switches and limits of the codebase search."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from indexer.errors import ConfigurationError
from indexer.syntax.budget import bracket_depth

CONFIG_YAML_BYTES: Final = 65_536
CONFIG_YAML_DEPTH: Final = 20  # of brackets: PyYAML takes a minute for a file of hundreds
CONFIG_FILE: Final = "config.yaml"


class CodebaseSearchToolConfig(BaseModel):
    """The section `tools.codebase_search`."""

    # Strict: otherwise "false" would be true, and true would be 1.
    model_config = ConfigDict(strict=True, extra="forbid", validate_assignment=True)

    enabled: bool = False
    top_k: int = Field(default=5, ge=1, le=50)
    similarity_threshold: float = Field(default=0.3, ge=0.0, le=1.0)
    max_code_length: int = Field(default=500, ge=100, le=10_000)  # characters of a snippet


class ToolsConfig(BaseModel):
    """The section `tools`; sections of other tools are ignored."""

    codebase_search: CodebaseSearchToolConfig = Field(default_factory=CodebaseSearchToolConfig)


class RagConfig(BaseModel):
    """The section `rag`; its other keys belong to other indexes."""

    model_config = ConfigDict(strict=True, validate_assignment=True)

    enabled: bool = False


class Config(BaseModel):
    """The configuration of a file, or of the given sections.

    `Config()` reads `config.yaml` of the current directory; without one, everything is disabled.
    `Config(path)` reads another file, which must exist. `Config(rag=…, tools=…)` reads no file.
    Raises ConfigurationError for a file, ValidationError for sections.
    """

    rag: RagConfig = Field(default_factory=RagConfig)
    tools: ToolsConfig = Field(default_factory=ToolsConfig)

    def __init__(self, config_path: str | Path | None = None, **sections: Any) -> None:
        if sections and config_path is not None:
            raise ConfigurationError("pass Config a path or sections, not both")
        if sections:
            super().__init__(**sections)
            return
        path = Path(CONFIG_FILE if config_path is None else config_path).expanduser()
        if config_path is None and not path.exists():
            super().__init__()
            return
        values = _read(path)
        try:
            super().__init__(**values)
        except ValidationError as exc:
            raise ConfigurationError(f"{path}: {_first_problem(exc)}") from None


def _read(path: Path) -> dict[str, Any]:
    """Read this tool's sections of a file; the rest is not converted to values.

    Errors have no cause, which would quote the file: a link in a checkout may lead to any file.
    """
    try:
        root = yaml.compose(_content(path), Loader=yaml.SafeLoader)
        sections = dict(_members(root, ""))
        rag = dict(_members(sections.get("rag"), "rag"))
        tools = dict(_members(sections.get("tools"), "tools"))
        own = "tools.codebase_search"
        search = {
            key: _scalar(node, f"{own}.{key}")
            for key, node in _members(tools.get("codebase_search"), own)
        }
        enabled = {key: _scalar(rag[key], f"rag.{key}") for key in ("enabled",) if key in rag}
    except yaml.MarkedYAMLError as exc:
        line = exc.problem_mark.line + 1 if exc.problem_mark else 1
        raise ConfigurationError(
            f"{path} is not valid YAML: {exc.problem} at line {line}"
        ) from None
    except (yaml.YAMLError, RecursionError):
        raise ConfigurationError(f"{path} is not valid YAML") from None
    except ValueError as exc:
        raise ConfigurationError(f"{path}: {exc}") from None
    return {"rag": enabled, "tools": {"codebase_search": search}}


def _content(path: Path) -> bytes:
    if not path.is_file():  # neither a directory nor a pipe, which would block
        raise ConfigurationError(f"{path} is not a file: name the {CONFIG_FILE} to read")
    try:
        with path.open("rb") as file:
            content = file.read(CONFIG_YAML_BYTES + 1)
    except OSError as exc:
        raise ConfigurationError(f"{path} cannot be read ({exc.strerror})") from exc
    if len(content) > CONFIG_YAML_BYTES:
        raise ConfigurationError(f"{path} has more than {CONFIG_YAML_BYTES:,} bytes")
    if bracket_depth(content) > CONFIG_YAML_DEPTH:
        raise ConfigurationError(f"{path} has more than {CONFIG_YAML_DEPTH} nested brackets")
    return content


def _members(node: yaml.Node | None, where: str) -> Iterator[tuple[str, yaml.Node]]:
    """Yield keys and nodes of a mapping, which may be absent or empty. Raises ValueError."""
    if node is None or (isinstance(node, yaml.ScalarNode) and node.value in {"", "~", "null"}):
        return
    if not isinstance(node, yaml.MappingNode):
        raise ValueError(f"{where or 'the file'} must be a mapping, such as `enabled: true`")
    for key, value in node.value:
        if isinstance(key, yaml.ScalarNode):
            yield key.value, value


def _scalar(node: yaml.Node, where: str) -> object:
    """Return the value of a scalar node, without expanding aliases. Raises ValueError."""
    if not isinstance(node, yaml.ScalarNode):
        raise ValueError(f"{where} must be a number, true or false")
    try:
        loader = yaml.SafeLoader("")
        try:
            return loader.construct_object(node)
        finally:
            loader.dispose()
    except (yaml.YAMLError, ValueError):
        raise ValueError(f"{where} must be a number, true or false") from None


def _first_problem(error: ValidationError) -> str:
    """Describe the first problem by its key; the value is not quoted."""
    first = error.errors(include_url=False, include_input=False)[0]
    key = ".".join(map(str, first["loc"]))
    return f"{key}: {first['msg']}"[:500]
