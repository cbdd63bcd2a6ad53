"""The languages: names, grammars, query files and export rules.

Language names are those that the API filters by and Pygments highlights.
"""

from dataclasses import dataclass
from enum import StrEnum


class ExportRule(StrEnum):
    """How a language tells what other files may use."""

    EVERYTHING = "everything"  # public unless a query captures it as @private
    MARKED = "marked"  # public if a query captures it as @exported
    MARKED_AT_TOP = "marked_at_top"  # so at the top level; members are public unless @private
    UNDERSCORE = "underscore"  # private if the name starts with an underscore
    CAPITAL = "capital"  # public if the name starts with an upper-case letter


@dataclass(frozen=True, slots=True)
class Grammar:
    """A tree-sitter grammar: `module.function()` gives it, `queries` are read in order."""

    distribution: str
    module: str
    queries: tuple[str, ...]
    function: str = "language"


@dataclass(frozen=True, slots=True)
class Language:
    """A language's name and, where it is parsed, its grammar."""

    name: str
    grammar: Grammar | None = None
    export_rule: ExportRule = ExportRule.EVERYTHING


def _parsed(
    name: str,
    rule: ExportRule = ExportRule.EVERYTHING,
    *,
    package: str = "",
    queries: tuple[str, ...] = (),
    function: str = "language",
) -> Language:
    stem = package or name
    distribution = f"tree-sitter-{stem.replace('_', '-')}"
    grammar = Grammar(distribution, f"tree_sitter_{stem}", queries or (stem,), function)
    return Language(name, grammar, rule)


PYTHON = _parsed("python", ExportRule.UNDERSCORE)
JAVASCRIPT = _parsed(
    "javascript", ExportRule.MARKED_AT_TOP, queries=("ecmascript", "javascript", "jsx")
)
TYPESCRIPT = _parsed(
    "typescript",
    ExportRule.MARKED_AT_TOP,
    queries=("ecmascript", "typescript"),
    function="language_typescript",
)
TSX = _parsed(
    "tsx",
    ExportRule.MARKED_AT_TOP,
    package="typescript",
    queries=("ecmascript", "typescript", "jsx"),
    function="language_tsx",
)
GO = _parsed("go", ExportRule.CAPITAL)
JAVA = _parsed("java", ExportRule.MARKED)
RUST = _parsed("rust", ExportRule.MARKED)
C = _parsed("c")
CPP = _parsed("cpp", queries=("c", "cpp"))
CSHARP = _parsed("csharp", ExportRule.MARKED, package="c_sharp")
RUBY = _parsed("ruby")
PHP = _parsed("php", function="language_php")
KOTLIN = _parsed("kotlin")
SCALA = _parsed("scala")
SWIFT = _parsed("swift", ExportRule.MARKED)
BASH = _parsed("bash")
TEXT = Language("text")

PARSED = (
    PYTHON, JAVASCRIPT, TYPESCRIPT, TSX, GO, JAVA, RUST, C, CPP, CSHARP, RUBY, PHP, KOTLIN,
    SCALA, SWIFT, BASH,
)  # fmt: skip

SUFFIXES: dict[str, Language] = {
    ".py": PYTHON, ".pyi": PYTHON, ".pyw": PYTHON,
    ".js": JAVASCRIPT, ".jsx": JAVASCRIPT, ".mjs": JAVASCRIPT, ".cjs": JAVASCRIPT,
    ".ts": TYPESCRIPT, ".mts": TYPESCRIPT, ".cts": TYPESCRIPT, ".tsx": TSX,
    ".go": GO, ".java": JAVA, ".rs": RUST,
    ".c": C, ".h": C,
    ".cc": CPP, ".cpp": CPP, ".cxx": CPP, ".c++": CPP, ".hh": CPP, ".hpp": CPP, ".hxx": CPP,
    ".h++": CPP, ".ipp": CPP, ".inl": CPP, ".tpp": CPP,
    ".cs": CSHARP, ".csx": CSHARP,
    ".rb": RUBY, ".rake": RUBY, ".gemspec": RUBY, ".ru": RUBY,
    ".php": PHP, ".phtml": PHP,
    ".kt": KOTLIN, ".kts": KOTLIN,
    ".scala": SCALA, ".sc": SCALA, ".sbt": SCALA,
    ".swift": SWIFT,
    ".sh": BASH, ".bash": BASH, ".zsh": BASH, ".ksh": BASH, ".bats": BASH,
}  # fmt: skip

_UNPARSED_SUFFIXES = {
    "asciidoc": ".adoc .asciidoc",
    "batch": ".bat .cmd",
    "clojure": ".clj .cljs .cljc .edn",
    "cmake": ".cmake",
    "css": ".css",
    "dart": ".dart",
    "docker": ".dockerfile",
    "elixir": ".ex .exs",
    "erlang": ".erl .hrl",
    "fsharp": ".fs .fsi .fsx",
    "graphql": ".graphql .gql",
    "groovy": ".groovy .gradle",
    "haskell": ".hs .lhs",
    "hcl": ".tf .tfvars .hcl",
    "html": ".html .htm .xhtml .jinja .j2 .erb .hbs",
    "ini": ".ini .cfg .conf .properties .editorconfig",
    "json": ".json .jsonc .json5 .jsonl .ndjson .ipynb .webmanifest",
    "julia": ".jl",
    "less": ".less",
    "lua": ".lua",
    "make": ".mk .mak",
    "markdown": ".md .markdown .mdx .mdown",
    "nix": ".nix",
    "objective-c": ".m .mm",
    "ocaml": ".ml .mli",
    "perl": ".pl .pm .t",
    "powershell": ".ps1 .psm1 .psd1",
    "protobuf": ".proto",
    "r": ".r",
    "restructuredtext": ".rst",
    "scss": ".scss .sass",
    "sql": ".sql .psql .ddl",
    "svelte": ".svelte",
    "toml": ".toml",
    "vue": ".vue",
    "xml": ".xml .xsd .xsl .xslt .svg .plist .csproj .props .targets",
    "yaml": ".yaml .yml",
    "zig": ".zig",
}

SUFFIXES |= {
    suffix: Language(name) for name, text in _UNPARSED_SUFFIXES.items() for suffix in text.split()
}

FILENAMES: dict[str, Language] = {
    "gemfile": RUBY, "rakefile": RUBY, "podfile": RUBY, "vagrantfile": RUBY, "guardfile": RUBY,
    ".bashrc": BASH, ".bash_profile": BASH, ".profile": BASH, ".zshrc": BASH,
    "sconstruct": PYTHON, "wscript": PYTHON,
    "build.bazel": Language("starlark"), "workspace": Language("starlark"),
    "dockerfile": Language("docker"), "containerfile": Language("docker"),
    "makefile": Language("make"), "gnumakefile": Language("make"),
    "cmakelists.txt": Language("cmake"), "jenkinsfile": Language("groovy"),
    "go.mod": Language("go-mod"),
}  # fmt: skip

INTERPRETERS: dict[str, Language] = {
    "python": PYTHON, "pypy": PYTHON, "node": JAVASCRIPT, "deno": TYPESCRIPT, "bun": TYPESCRIPT,
    "ts-node": TYPESCRIPT, "ruby": RUBY, "php": PHP, "scala": SCALA, "swift": SWIFT,
    "kotlin": KOTLIN, "sh": BASH, "bash": BASH, "dash": BASH, "zsh": BASH, "ksh": BASH,
    "bats": BASH, "perl": Language("perl"), "lua": Language("lua"), "make": Language("make"),
}  # fmt: skip
