"""Every reason to leave a file out, and what looks like one and is not."""

import pytest

from indexer.decoding import decode_text
from indexer.git.parse import storable_path
from indexer.pipeline.select import (
    SelectionRules,
    needs_content,
    skip_reason_by_content,
    skip_reason_by_entry,
)
from indexer.records.files import BLOB_BYTES, SkipReason, TreeEntry
from indexer.records.manifests import MANIFEST_CHARACTERS

LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


def by_entry(
    path: str,
    *,
    mode: str = "100644",
    size: int = 100,
    attributes: dict[str, str] | None = None,
    rules: SelectionRules | None = None,
) -> SkipReason | None:
    return skip_reason_by_entry(
        TreeEntry(path, mode, "a" * 40, size),
        attributes=attributes or {},
        rules=rules or SelectionRules(),
    )


@pytest.mark.parametrize(
    ("path", "mode", "reason"),
    [
        ("libs/other", "160000", SkipReason.SUBMODULE),
        ("link.py", "120000", SkipReason.SYMLINK),
        ("run.sh", "100755", None),
    ],
)
def test_the_mode_is_judged_first(path: str, mode: str, reason: SkipReason | None) -> None:
    assert by_entry(path, mode=mode) is reason


def test_the_project_file_is_indexed_whatever_it_excludes() -> None:
    rules = SelectionRules(include=("src/",), exclude=("*.toml",), max_file_bytes=9)
    generated = {"linguist-generated": "set"}
    assert by_entry(".codesearch.toml", rules=rules, attributes=generated) is None
    assert by_entry(".codesearch.toml", mode="120000") is SkipReason.SYMLINK
    assert by_entry(".codesearch.toml", size=65_537) is SkipReason.TOO_LARGE
    assert by_entry("kit/.codesearch.toml", rules=rules) is SkipReason.EXCLUDED


@pytest.mark.parametrize(
    ("path", "include", "exclude", "excluded"),
    [
        ("src/a.py", (), (), False),
        ("src/a.py", ("src/",), (), False),
        ("docs/a.md", ("src/",), (), True),
        ("src/a.py", (), ("*.py",), True),
        ("src/a.py", ("*.py",), ("src/",), True),
        ("src/a.py", (), ("*.py", "!a.py"), False),
        ("src/deep/a.py", (), ("/deep/",), False),
        ("src/deep/a.py", (), ("src/**/a.py",), True),
    ],
)
def test_patterns_are_those_of_gitignore(
    path: str, include: tuple[str, ...], exclude: tuple[str, ...], excluded: bool
) -> None:
    reason = by_entry(path, rules=SelectionRules(include=include, exclude=exclude))
    assert reason is (SkipReason.EXCLUDED if excluded else None)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("web/node_modules/left-pad/index.js", SkipReason.VENDORED),
        ("vendor/github.com/pkg/errors/errors.go", SkipReason.VENDORED),
        ("vendor/autoload.php", SkipReason.VENDORED),
        ("third_party/zlib/inflate.c", SkipReason.VENDORED),
        ("lib/python3/dist-packages/six.py", SkipReason.VENDORED),
        ("static/jquery-3.7.1.js", SkipReason.VENDORED),
        ("gradlew", SkipReason.VENDORED),
        ("src/vendor/Vendor.java", None),
        ("src/vendors.py", None),
        ("node_modules.py", None),
        ("package-lock.json", SkipReason.LOCK_FILE),
        ("services/a/Cargo.lock", SkipReason.LOCK_FILE),
        ("go.sum", SkipReason.LOCK_FILE),
        ("go.mod", None),
        ("src/lock.py", None),
        ("api/orders_pb2.py", SkipReason.GENERATED),
        ("api/orders_pb2_grpc.py", SkipReason.GENERATED),
        ("api/orders.pb.go", SkipReason.GENERATED),
        ("Form.Designer.cs", SkipReason.GENERATED),
        ("src/generated.py", None),
        ("lib/api.gen.go", SkipReason.GENERATED),
        ("third_party/orders.pb.go", SkipReason.VENDORED),
        ("dist/app.min.js", SkipReason.MINIFIED),
        ("dist/app.min.css", SkipReason.MINIFIED),
        ("src/admin.js", None),
    ],
)
def test_names_tell_vendored_generated_and_minified_files(
    path: str, reason: SkipReason | None
) -> None:
    assert by_entry(path) is reason


@pytest.mark.parametrize(
    ("path", "attributes", "reason"),
    [
        ("src/a.py", {"linguist-vendored": "set"}, SkipReason.VENDORED),
        ("src/a.py", {"linguist-vendored": "true"}, SkipReason.VENDORED),
        ("src/a.py", {"linguist-generated": "set"}, SkipReason.GENERATED),
        ("third_party/a.py", {"linguist-vendored": "unset"}, None),
        ("third_party/a.py", {"linguist-vendored": "false"}, None),
        ("third_party/a.py", {"linguist-vendored": "unspecified"}, SkipReason.VENDORED),
        ("a_pb2.py", {"linguist-generated": "unset"}, None),
        ("a_pb2.py", {"linguist-vendored": "unset"}, SkipReason.GENERATED),
        ("dist/app.min.js", {"linguist-generated": "set"}, SkipReason.MINIFIED),
        ("uv.lock", {"linguist-generated": "set"}, SkipReason.LOCK_FILE),
    ],
)
def test_attributes_win_over_names(
    path: str, attributes: dict[str, str], reason: SkipReason | None
) -> None:
    assert by_entry(path, attributes=attributes) is reason


def test_size_limit_is_inclusive_and_configurable() -> None:
    assert by_entry("a.py", size=1_048_576) is None
    assert by_entry("a.py", size=1_048_577) is SkipReason.TOO_LARGE
    assert by_entry("a.py", size=11, rules=SelectionRules(max_file_bytes=10)) is (
        SkipReason.TOO_LARGE
    )
    unlimited = SelectionRules(max_file_bytes=10**15)
    assert by_entry("a.py", size=BLOB_BYTES, rules=unlimited) is None
    assert by_entry("a.py", size=BLOB_BYTES + 1, rules=unlimited) is SkipReason.TOO_LARGE


def test_generated_code_has_the_size_limit_of_other_code() -> None:
    assert by_entry("a.pb.go", size=1_048_576) is SkipReason.GENERATED
    assert by_entry("a.pb.go", size=1_048_577) is SkipReason.TOO_LARGE
    assert by_entry("app.js.map", size=1_048_577) is SkipReason.GENERATED  # never read


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        ("a.py", b"x = 1\n", None),
        ("a.py", b"", None),
        ("a.psd", LFS_POINTER, SkipReason.LFS_POINTER),
        ("a.md", LFS_POINTER + b"x" * 2000, None),
        ("a.js", b"var a=1;" * 1000, SkipReason.MINIFIED),
        ("a.js", b"// short\n" * 500 + b"a" * 60_000, SkipReason.MINIFIED),
        ("a.js", b"var a=1;" * 100, None),
        ("a.md", b"A paragraph in one line. " * 200, None),
        ("a.md", b"word " * 200_000, SkipReason.MINIFIED),
        ("a.ipynb", b'{"cell_type": "code",\n"image/png": "' + b"A" * 60_000 + b'"}', None),
        (
            "a.ipynb",
            b'{"cell_type": "code", "image/png": "' + b"A" * 60_000 + b'"}',
            SkipReason.MINIFIED,
        ),
        (
            "a.go",
            b"// Code generated by stringer. DO NOT EDIT.\n\npackage a\n",
            SkipReason.GENERATED,
        ),
        ("a.js", b"/**\n * @generated SignedSource<<1>>\n */\n", SkipReason.GENERATED),
        ("a.cs", b"// <auto-generated />\n", SkipReason.GENERATED),
        ("a.py", b"# This file was automatically generated by a tool.\n", SkipReason.GENERATED),
        ("a.py", b'MARK = "@generated"  # what others write\n', None),
        ("a.go", b"package a\n" + b"\n" * 30 + b"// Code generated by x. DO NOT EDIT.\n", None),
    ],
)
def test_content_tells_the_rest(path: str, content: bytes, reason: SkipReason | None) -> None:
    assert skip_reason_by_content(path, content) is reason


def test_every_reason_is_given_somewhere() -> None:
    given = {
        by_entry("a", mode="160000"),
        by_entry("a", mode="120000"),
        storable_path(b"\xff")[1],
        storable_path(b".git/a")[1],
        storable_path(b"a" * 1025)[1],
        by_entry("a", rules=SelectionRules(exclude=("a",))),
        by_entry("node_modules/a"),
        by_entry("go.sum"),
        by_entry("a.pb.go"),
        by_entry("a.min.js"),
        by_entry("a", size=2**30),
        skip_reason_by_content("a", LFS_POINTER),
        decode_text("a", b"\0"),
        decode_text("a", b"\xff"),
        decode_text("a.py", b"# coding: utf-8\n\xff"),
    }
    assert given == set(SkipReason) - {SkipReason.UNPROCESSABLE}  # which a process that dies gives


@pytest.mark.parametrize(
    ("path", "size", "skipped", "is_read"),
    [
        ("a.py", 10, None, True),
        ("a.pb.go", 10, SkipReason.GENERATED, True),
        ("app.js.map", 10, SkipReason.GENERATED, False),  # no grammar reads its symbols
        ("a.pb.go", 10, SkipReason.VENDORED, False),
        ("services/a/Cargo.lock", 10, SkipReason.LOCK_FILE, True),
        ("Cargo.lock", MANIFEST_CHARACTERS + 1, SkipReason.LOCK_FILE, False),
        ("Cargo.lock", 10, SkipReason.EXCLUDED, False),
        ("go.sum", 10, SkipReason.LOCK_FILE, False),  # pins nothing that go.mod does not
    ],
)
def test_of_what_is_skipped_generated_code_and_lock_files_that_pin_are_read(
    path: str, size: int, skipped: SkipReason | None, is_read: bool
) -> None:
    assert needs_content(TreeEntry(path, "100644", "a" * 40, size, skipped)) is is_read
