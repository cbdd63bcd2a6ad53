"""Lua. `queries/lua.trace.scm` matches imports and references."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from indexer.languages.base import DASH_COMMENTS, Language, Lexis, ModuleName, grammar, names
from indexer.languages.import_style import ImportStyle
from indexer.records.manifests import Ecosystem

_SOURCE_FOLDERS: Final = ("src", "lua", "lib")


def _module_names(path: str, _namespace: str) -> Iterator[ModuleName]:
    """Yield `src.acme.util` and, below a source folder, `acme.util` for `src/acme/util.lua`."""
    *folders, file = path.removesuffix(".lua").split("/")
    parts = folders if file == "init" else [*folders, file]
    starts = [0, *(i + 1 for i, part in enumerate(folders) if part in _SOURCE_FOLDERS)]
    for start in starts:
        yield ModuleName(".".join(parts[start:]), public=False, scope=False)


def _import_path(_file: str, module: str, _inside: str) -> str:
    """Convert slashes: `require "acme.util"` and `require "acme/util"` are equivalent."""
    return module.removesuffix(".lua").replace("/", ".")


def _local_name(module: str, _is_used: Callable[[str], bool]) -> str:
    """Return the whole module, for `require("acme.util").trim()`: a variable has no "/"."""
    return f"/{module.replace('.', '/')}"


_BUILTINS: Final = names("""
    _G _VERSION assert bit bit32 collectgarbage coroutine debug dofile error getfenv getmetatable io
    ipairs jit load loadfile loadstring math module newproxy next os package pairs pcall print
    rawequal rawget rawlen rawset require select setfenv setmetatable string table tonumber tostring
    type unpack utf8 warn xpcall
""")

LUA: Final = Language(
    "lua",
    grammar("lua"),
    version=2,
    lexis=Lexis((DASH_COMMENTS,)),
    linguist=("Lua",),
    suffixes=(".lua",),
    interpreters=("lua",),
    ecosystem=Ecosystem.NONE,
    module_names=_module_names,
    import_style=ImportStyle(_import_path, _local_name),
    self_names=names("self"),
    builtins=_BUILTINS,
    method_operator=b":",
    import_call=re.compile(r"""require\s*\(?\s*["']([^"'\n]{1,500})["']"""),
)
LANGUAGES: Final = (LUA,)
