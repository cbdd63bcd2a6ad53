"""Modules of Rust that are other files, and the crates that files belong to."""

import pytest

from indexer.pipeline.worker import extract_file
from indexer.records.files import FileRecord


def record_of(path: str, text: str) -> FileRecord:
    return extract_file(path=path, mode="100644", blob="0" * 40, content=text.encode())


@pytest.mark.parametrize(
    ("file", "text", "path"),
    [
        ("src/lib.rs", "mod a;", "/src.a"),
        ("src/main.rs", "pub mod a;", "/src.a"),
        ("src/a.rs", "mod b;", "/src.a.b"),
        ("src/a/mod.rs", "mod b;", "/src.a.b"),
        ("src/bin/tool.rs", "mod a;", "/src/bin.a"),
        ("src/bin/tool/main.rs", "mod a;", "/src/bin/tool.a"),
        ("tests/it.rs", "mod common;", "/tests.common"),
        ("a/build.rs", "mod gen;", "/a.gen"),
        ("src/lib.rs", "mod inner { mod a; }", "/src.inner.a"),
        ("src/lib.rs", '#[path = "other/x.rs"] mod a;', "/src.other.x"),
        ("src/lib.rs", '#[path = "x.rs"]\n#[cfg(test)]\n// why\npub(crate) mod a;', "/src.x"),
        ("src/lib.rs", '#[cfg(test)]\n#[path = "../tests/a.rs"]\nmod a;', "/tests.a"),
        ("src/b.rs", '#[path = "x.rs"] mod a;', "/src.x"),
        ("src/b.rs", 'mod inner { #[path = "x.rs"] mod a; }', "/src.b.inner.x"),
        ("src/lib.rs", 'mod inner { #[path = "x.rs"] mod a; }', "/src.inner.x"),
        ("src/lib.rs", '#[path = "x.rs"] mod other;\nmod a;', "/src.a"),
    ],
)
def test_a_declared_module_is_the_file_that_the_compiler_reads(
    file: str, text: str, path: str
) -> None:
    found = record_of(file, text)
    assert [one.path for one in found.imports if one.local in {"a", "b", "common", "gen"}] == [path]


def test_a_declared_module_is_a_name_of_the_crate() -> None:
    exports = record_of("tests/it.rs", "mod common;\nfn f() { crate::common::set(); }").exports
    assert [(one.name, one.path) for one in exports] == [("common", "/tests.common")]


def test_a_module_in_a_root_takes_from_its_own_files() -> None:
    found = record_of("src/lib.rs", "mod b { mod a; use a::X; }")
    assert [one.path for one in found.imports] == ["/src.b.a", "/src.b.a.X"]


@pytest.mark.parametrize(
    ("file", "root"),
    [
        ("src/bin/tool/main.rs", "/src/bin/tool.main"),
        ("src/bin/tool/config.rs", "/src/bin/tool"),
        ("src/config.rs", "/src"),
        ("examples/show.rs", "/examples.show"),
    ],
)
def test_crate_is_the_one_of_the_file(file: str, root: str) -> None:
    found = record_of(file, "use crate::config::load;\nfn f() { load(); }\n")
    assert [one.path for one in found.imports] == [f"{root}.config.load"]
