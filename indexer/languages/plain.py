"""Languages that are recognised and indexed as text: no grammar, no definitions."""

from typing import Final

from indexer.languages.base import Language
from indexer.linguist import language_named

_SUFFIXES: Final = {
    "asciidoc": ".adoc .asciidoc",
    "batch": ".bat .cmd",
    "clojure": ".clj .cljs .cljc .edn",
    "cmake": ".cmake",
    "css": ".css",
    "dart": ".dart",
    "docker": ".dockerfile",
    "erlang": ".erl .hrl",
    "fsharp": ".fs .fsi .fsx",
    "graphql": ".graphql .gql",
    "groovy": ".groovy .gradle",
    "haskell": ".hs .lhs",
    "hcl": ".tf .tfvars .hcl",
    "ini": ".ini .cfg .conf .properties .editorconfig",
    "json": ".json .jsonc .json5 .jsonl .ndjson .webmanifest",
    "julia": ".jl",
    "less": ".less",
    "make": ".mk .mak",
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
    "toml": ".toml",
    "xml": ".xml .xsd .xsl .xslt .svg .plist .csproj .props .targets",
    "yaml": ".yaml .yml",
    "zig": ".zig",
}
# Linguist's languages, where they are not one of the same name.
_LINGUIST: Final = {
    "batch": "Batchfile",
    "docker": "Dockerfile",
    "fsharp": "F#",
    "go-mod": "Go Module",
    "groovy": "Groovy, Gradle",
    "haskell": "Haskell, Literate Haskell",
    "ini": "INI, EditorConfig, Java Properties",
    "json": "JSON, JSON with Comments, JSON5, JSONLD, OASv2-json, OASv3-json",
    "make": "Makefile",
    "objective-c": "Objective-C, Objective-C++",
    "protobuf": "Protocol Buffer",
    "scss": "SCSS, Sass",
    "sql": "SQL, PLSQL, PLpgSQL, SQLPL, TSQL",
    "xml": "XML, Ant Build System, Maven POM, SVG, XML Property List, XSLT",
    "yaml": "YAML, MiniYAML, OASv2-yaml, OASv3-yaml",
}
_FILE_NAMES: Final = {
    "cmake": "cmakelists.txt",
    "docker": "dockerfile containerfile",
    "go-mod": "go.mod",
    "groovy": "jenkinsfile",
    "make": "makefile gnumakefile",
    "starlark": "build.bazel workspace",
}
_FILE_NAME_PREFIXES: Final = {"docker": "dockerfile.", "make": "makefile."}
_INTERPRETERS: Final = {"make": "make", "perl": "perl"}


def _words(table: dict[str, str], language: str) -> tuple[str, ...]:
    return tuple(table.get(language, "").split())


def _linguist_names(name: str) -> tuple[str, ...]:
    if name in _LINGUIST:
        return tuple(_LINGUIST[name].split(", "))
    return (language_named(name),)


def _language(name: str) -> Language:
    return Language(
        name,
        linguist=_linguist_names(name),
        suffixes=_words(_SUFFIXES, name),
        file_names=_words(_FILE_NAMES, name),
        file_name_prefixes=_words(_FILE_NAME_PREFIXES, name),
        interpreters=_words(_INTERPRETERS, name),
    )


TEXT: Final = Language("text")
LANGUAGES: Final = (TEXT, *map(_language, sorted({*_SUFFIXES, *_FILE_NAMES, *_INTERPRETERS})))
