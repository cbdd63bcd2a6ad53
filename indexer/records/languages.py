"""The names of the languages that files are indexed as; the registry must have the same."""

from collections.abc import Mapping
from typing import Final

LANGUAGES: Final = frozenset(
    {"asciidoc", "astro", "bash", "batch", "c", "clojure", "cmake", "cpp", "csharp", "css", "dart",
     "docker", "elixir", "erb", "erlang", "fsharp", "go", "go-mod", "graphql", "groovy", "haskell",
     "hcl", "html", "ini", "java", "javascript", "json", "julia", "jupyter", "kotlin", "less",
     "lua", "make", "markdown", "nix", "objective-c", "ocaml", "perl", "php", "powershell",
     "protobuf", "python", "r", "restructuredtext", "ruby", "rust", "scala", "scss", "sql",
     "starlark", "svelte", "swift", "text", "toml", "tsx", "typescript", "vue", "xml", "yaml",
     "zig"}
)  # fmt: skip

# Source code of which only text is indexed: no definitions, no references, no callers.
WITHOUT_SYMBOLS: Final = frozenset(
    {"batch", "clojure", "dart", "erlang", "fsharp", "graphql", "groovy", "haskell", "hcl",
     "julia", "nix", "objective-c", "ocaml", "perl", "powershell", "protobuf", "r", "sql",
     "starlark", "zig"}
)  # fmt: skip

# Of files that hold code of other languages, the languages that are read in them.
EMBEDDED_LANGUAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "astro": ("tsx",),
    "erb": ("ruby",),
    "html": ("javascript", "tsx", "typescript"),
    "jupyter": ("python",),
    "markdown": (
        "c", "cpp", "csharp", "elixir", "go", "java", "javascript", "kotlin", "lua", "php",
        "python", "ruby", "rust", "scala", "swift", "tsx", "typescript",
    ),
    "svelte": ("javascript", "tsx", "typescript"),
    "vue": ("javascript", "tsx", "typescript"),
}  # fmt: skip

# Of programs that a grammar reads, whole or in parts.
PARSED_SUFFIXES: Final = frozenset(
    {".astro", ".bash", ".bats", ".c", ".c++", ".cc", ".ccm", ".cjs", ".cpp", ".cppm",
     ".cs", ".csx", ".cts", ".cxx", ".cxxm", ".erb", ".ex", ".exs", ".gemspec", ".go", ".h", ".h++",
     ".hbs", ".hh", ".hpp", ".htm", ".html", ".hxx", ".inl", ".ipp", ".ipynb", ".ixx", ".j2",
     ".java", ".jinja", ".js", ".jsx", ".ksh", ".kt", ".kts", ".lua", ".mjs", ".mpp", ".mts",
     ".php", ".phtml", ".py", ".pyi", ".pyw", ".rake", ".rb", ".rs", ".ru", ".sbt", ".sc", ".scala",
     ".sh", ".svelte", ".swift", ".tpp", ".ts", ".tsx", ".vue", ".xhtml", ".zsh"}
)  # fmt: skip

# Of languages that Pygments has not by this name, the lexer.
LEXERS: Final[Mapping[str, str]] = {
    "astro": "html",
    "go-mod": "go",
    "jupyter": "json",
    "svelte": "html",
}
