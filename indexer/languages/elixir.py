"""Elixir. `queries/elixir.trace.scm` matches imports and references."""

from collections.abc import Iterator
from typing import Final

from indexer.languages.base import HASH_COMMENTS, Language, Lexis, ModuleName, grammar, names
from indexer.languages.import_style import ImportStyle
from indexer.records.manifests import Ecosystem

# Modules are global and independent of paths: `Acme.User` is the atom `:"Elixir.Acme.User"`.
_ROOT: Final = "Elixir"


def _module_names(_path: str, _namespace: str) -> Iterator[ModuleName]:
    """Return the root module: every file defines global names."""
    yield ModuleName(_ROOT, public=False, scope=True)


def _import_path(_file: str, module: str, _inside: str) -> str:
    return f"{_ROOT}.{module}"


_BUILTINS: Final = names("""
    abs alias and apply binary_part binding bit_size byte_size case ceil cond def defdelegate
    defexception defguard defguardp defimpl defmacro defmacrop defmodule defoverridable defp
    defprotocol defstruct destructure dbg div elem exit floor fn for function_exported? get_in
    hd if import in inspect is_atom is_binary is_bitstring is_boolean is_exception is_float
    is_function is_integer is_list is_map is_map_key is_nil is_number is_pid is_port is_reference
    is_struct is_tuple length macro_exported? make_ref map_size match? max min node not or pop_in
    put_elem put_in quote raise receive rem require reraise round self send sigil_r sigil_s sigil_w
    spawn spawn_link spawn_monitor struct struct! super tap then throw tl to_charlist to_string
    to_timeout trunc try tuple_size unless unquote unquote_splicing update_in use var! with
    __MODULE__ __ENV__ __DIR__ __CALLER__ __STACKTRACE__
    any arity as_boolean atom binary bitstring boolean byte char charlist float fun identifier
    integer iodata iolist keyword list map mfa module neg_integer no_return non_neg_integer none
    nonempty_list number optional pid port pos_integer reference required string term timeout tuple
    Access Agent Application ArgumentError ArithmeticError Atom Base Behaviour Bitwise Calendar Code
    Collectable Config Date DateTime Duration DynamicSupervisor Enum Enumerable Exception ExUnit
    File Float FunctionClauseError GenEvent GenServer IEx IO Inspect Integer JSON Kernel KeyError
    Keyword List Logger Macro Map MapSet MatchError Mix Module NaiveDateTime Node OptionParser
    PartitionSupervisor Path Port Process Protocol Range Record Regex Registry RuntimeError Set
    Stream String StringIO Supervisor System Task Time Tuple URI UndefinedFunctionError Version
""")

ELIXIR: Final = Language(
    "elixir",
    grammar("elixir"),
    version=2,
    lexis=Lexis((HASH_COMMENTS,), marks_methods=True),
    linguist=("Elixir",),
    suffixes=(".ex", ".exs"),
    interpreters=("elixir",),
    ecosystem=Ecosystem.NONE,
    module_names=_module_names,
    import_style=ImportStyle(_import_path),
    class_names=names("__MODULE__"),
    builtins=_BUILTINS,
    name_separator=".",
    implicit_this=True,
    has_methods=False,
    separate_method_namespace=True,
    module_methods=True,
)
LANGUAGES: Final = (ELIXIR,)
