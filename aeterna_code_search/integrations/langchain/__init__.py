"""LangChain: `CodebaseSearchTool` for agents and `CodeSearchRetriever` for chains."""

from typing import Final

from indexer.errors import not_installed

_OPTIONAL: Final = frozenset({"langchain_core", "pydantic", "yaml"})

try:
    from aeterna_code_search.integrations.langchain.config import (
        CodebaseSearchToolConfig,
        Config,
        RagConfig,
        ToolsConfig,
    )
    from aeterna_code_search.integrations.langchain.retriever import CodeSearchRetriever
    from aeterna_code_search.integrations.langchain.tool import CodebaseSearchTool
except ModuleNotFoundError as exc:
    if (exc.name or "").partition(".")[0] not in _OPTIONAL:
        raise
    raise ImportError(not_installed(exc.name or "langchain", "langchain"), name=exc.name) from exc

__all__ = [
    "CodeSearchRetriever",
    "CodebaseSearchTool",
    "CodebaseSearchToolConfig",
    "Config",
    "RagConfig",
    "ToolsConfig",
]
