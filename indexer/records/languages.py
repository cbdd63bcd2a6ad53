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
    {"._js", ".astro", ".aw", ".bash", ".bats", ".blade", ".bones", ".builder", ".c", ".c++",
     ".cats", ".cc", ".ccm", ".cjs", ".command", ".cpp", ".cppm", ".cs", ".csx", ".ctp", ".cts",
     ".cxx", ".cxxm", ".ebuild", ".erb", ".es6", ".ex", ".exs", ".eye", ".gemspec", ".go", ".god",
     ".gs", ".gyp", ".gypi", ".h", ".h++", ".handlebars", ".hbs", ".hh", ".hpp", ".hta", ".htm",
     ".html", ".hxx", ".idc", ".inl", ".ino", ".ipp", ".ipynb", ".ixx", ".j2", ".jake", ".jav",
     ".java", ".javascript", ".jbuilder", ".jinja", ".jinja2", ".js", ".jsb", ".jscad", ".jsfl",
     ".jsh", ".jslib", ".jsm", ".jspre", ".jss", ".jsx", ".kojo", ".ksh", ".kt", ".ktm", ".kts",
     ".linq", ".lmi", ".lua", ".mjs", ".mpp", ".mspec", ".mts", ".njs", ".nse", ".p8", ".pac",
     ".pacscript", ".pd_lua", ".php", ".php3", ".php4", ".php5", ".phps", ".phpt", ".phtml",
     ".podspec", ".prawn", ".py", ".py3", ".pyde", ".pyi", ".pyp", ".pyt", ".pyw", ".rabl",
     ".rake", ".rb", ".rbi", ".rbuild", ".rbw", ".rbx", ".rbxs", ".rhtml", ".rockspec", ".rs",
     ".ru", ".ruby", ".sbatch", ".sbt", ".sc", ".scala", ".sh", ".sjs", ".slurm", ".ssjs",
     ".svelte", ".swift", ".tac", ".tcc", ".thor", ".tmux", ".tool", ".tpp", ".ts", ".tsx", ".txx",
     ".vue", ".watchr", ".wlua", ".wsgi", ".xht", ".xhtml", ".xpy", ".xsjs", ".xsjslib", ".zsh",
     ".zsh-theme"}
)  # fmt: skip

# Of languages that Pygments has not by this name, the lexer.
LEXERS: Final[Mapping[str, str]] = {
    "astro": "html",
    "go-mod": "go",
    "jupyter": "json",
    "svelte": "html",
}
