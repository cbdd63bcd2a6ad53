"""Which language a file is taken for, and that the registry is whole."""

import re
import subprocess
import sys
from importlib import import_module, metadata, resources
from pathlib import Path

import pytest

from indexer.languages import Language, detect
from indexer.languages.base import HOSTS_VERSION
from indexer.languages.registry import (
    FILENAMES,
    HOSTS,
    INTERPRETERS,
    LANGUAGES_BY_NAME,
    PARSED,
    SUFFIXES,
    TEXT,
)
from indexer.linguist import facts
from indexer.records.languages import (
    EMBEDDED_LANGUAGES,
    LANGUAGES,
    PARSED_SUFFIXES,
    WITHOUT_SYMBOLS,
)


@pytest.mark.parametrize(
    ("path", "content", "language"),
    [
        ("src/a.py", b"", "python"),
        ("A.PY", b"", "python"),
        ("a.tsx", b"", "tsx"),
        ("a.h", b"int a(void);\n", "c"),
        ("a.h", b"#pragma once\nnamespace a {\n}\n", "cpp"),
        ("Dockerfile", b"", "docker"),
        ("Dockerfile.test", b"", "docker"),
        ("Rakefile", b"", "ruby"),
        ("lib/a.ex", b"", "elixir"),
        ("test/a_test.exs", b"", "elixir"),
        ("bin/run", b"#!/usr/bin/env elixir\n", "elixir"),
        ("src/a.lua", b"", "lua"),
        ("bin/run", b"#!/usr/bin/env lua5.4\n", "lua"),
        ("a.yml", b"", "yaml"),
        ("src/App.vue", b"", "vue"),
        ("README.md", b"", "markdown"),
        ("LICENSE", b"Apache", "text"),
        ("bin/run", b"#!/usr/bin/env python3\n", "python"),
        ("bin/run", b"#!/usr/bin/python3.11 -u\n", "python"),
        ("bin/run", b"#!/bin/sh -e\n", "bash"),
        ("bin/run", b"#! /usr/bin/env -S NODE_ENV=test node --trace\n", "javascript"),
        ("bin/run", b"#!/usr/bin/env -S uv run --script\n", "python"),
        ("bin/run", b"#!/usr/bin/env -S deno run\n", "typescript"),
        ("bin/run", b"#!\n", "text"),
        ("Fastfile", b"", "ruby"),
        ("PKGBUILD", b"", "bash"),
        (".envrc", b"", "bash"),
        ("Jenkinsfile", b"", "groovy"),
        ("a.ixx", b"", "cpp"),
        ("app_de.ts", b'<?xml version="1.0"?>\n<!DOCTYPE TS>\n<TS version="2.1">\n', "xml"),
        ("tiles.tsx", b'<?xml version="1.0"?>\n<tileset/>\n', "xml"),
        ("a.h", b"// -*- C++ -*-\nint a();\n", "cpp"),
        ("a.h", b"#import <A/A.h>\n@interface A\n@end\n", "objective-c"),
        ("a.js", b"// -*- Mode: Java -*-\n", "javascript"),
        ("bin/run", b"\xff\xfe#!/bin/sh", "text"),
    ],
)
def test_language_is_told_by_name_suffix_or_shebang(
    path: str, content: bytes, language: str
) -> None:
    assert detect(path, content).name == language


@pytest.mark.parametrize("language", PARSED, ids=lambda language: language.name)
def test_grammar_is_installed_and_its_queries_are_shipped(language: Language) -> None:
    assert language.grammar is not None
    assert metadata.version(language.grammar.distribution)
    queries = resources.files("indexer.languages") / "queries"
    shipped = {
        entry.name.split(".")[0] for entry in queries.iterdir() if entry.name.endswith(".scm")
    }
    assert set(language.grammar.queries) <= shipped


def test_no_two_languages_claim_one_file() -> None:
    languages = LANGUAGES_BY_NAME.values()
    assert len(SUFFIXES) == sum(len(one.suffixes) for one in languages)
    assert len(FILENAMES) == sum(len(one.file_names) for one in languages)
    assert len(INTERPRETERS) == sum(len(one.interpreters) for one in languages)


def test_every_module_with_languages_is_in_the_registry() -> None:
    folder = resources.files("indexer.languages")
    parsed = {
        entry.name
        for entry in folder.iterdir()
        if entry.name.endswith(".py") and "grammar(" in entry.read_text("utf-8")
    }
    modules = {name.removesuffix(".py") for name in parsed - {"base.py"}}
    registered = {
        module
        for module in modules
        for one in import_module(f"indexer.languages.{module}").LANGUAGES
        if LANGUAGES_BY_NAME[one.name] is one
    }
    assert registered == modules


def test_registry_imports_no_grammar() -> None:
    program = (
        "import sys, indexer.languages\n"
        "print([name for name in sys.modules if name.startswith('tree_sitter')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_list_of_names_that_others_read_is_complete() -> None:
    assert {*LANGUAGES_BY_NAME, TEXT.name} == LANGUAGES


def test_the_suffixes_of_parsed_files_are_those_of_the_registry() -> None:
    documents = [one for one in HOSTS if one.host and one.host.are_examples]
    programs = {one.name for one in (*PARSED, *HOSTS) if one not in documents}
    suffixes = {one for one in {*SUFFIXES, *facts().suffixes} if one.count(".") == 1}
    assert {one for one in suffixes if detect("a" + one, b"").name in programs} == PARSED_SUFFIXES


def test_the_list_of_languages_inside_of_others_is_that_of_the_registry() -> None:
    embedded = {one.name: one.host.languages for one in HOSTS if one.host}
    assert embedded == EMBEDDED_LANGUAGES
    parsed = {one.name for one in PARSED}
    assert all(parsed >= set(names) for names in embedded.values())
    assert {one.version for one in HOSTS} == {HOSTS_VERSION}


def test_the_page_of_what_is_indexed_names_each_language_with_a_grammar() -> None:
    page = Path(__file__).parents[3] / "docs/reference/what-is-indexed.md"
    (named,) = re.findall(
        r"(?s)are indexed\. (.+?) are split by their grammar", page.read_text("utf-8")
    )
    words = {word.lower() for word in re.split(r"[\s,/]+", named)} - {"and"}
    assert words == {one.linguist[0].lower().replace("shell", "bash") for one in PARSED}


def test_a_language_either_has_symbols_or_is_known_to_have_none() -> None:
    parsed = {one.name for one in (*PARSED, *HOSTS)}
    assert not parsed & WITHOUT_SYMBOLS
    assert WITHOUT_SYMBOLS < LANGUAGES
    assert {"json", "markdown", "text", "yaml"}.isdisjoint(WITHOUT_SYMBOLS)
