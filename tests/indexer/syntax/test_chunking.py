"""Chunks: the partition of a file into whole lines, and where it is cut."""

from hypothesis import given
from hypothesis import strategies as st

from indexer.pipeline.worker import extract_file
from indexer.records.files import Chunk, ChunkType, line_span, split_lines
from indexer.syntax.chunking import SOFT_CHARACTERS, WINDOW_LINES
from tests.property_settings import examples

FRAGMENTS = (
    "def first(a):\n    return a\n", "class Order:\n", "    def total(self):\n        pass\n",
    "@decorator\n", "# a comment\n", "// a comment\n", "/* opened\n", "*/\n", "}\n", "{\n", "\n",
    "   \n", "\x0c\n", "function f() { class B { g() {} } } class C {\n", "const x = () => {\n",
    "namespace a { namespace b {\n", "impl Cache {\n", "fn evict() {}\n", "func (s *S) Do() {\n",
    "module A; class B; def c; end; end; end\n", "template <class T>\n", "text without an end",
    "é ü 日本\n", "\r\n", "x = 1; y = 2\n", "type (\n", ")\n", '"""\n', "`${\n", "<?php\n", "<<A\n",
    "interface I { void a(); int b(); }\n", "x" * 2000 + "\n", "long line " * 40 + "\n",
)  # fmt: skip
NAMES = ("a.py", "a.js", "a.ts", "a.tsx", "a.go", "A.java", "a.rs", "a.c", "a.cpp", "a.cs",
         "a.rb", "a.php", "a.kt", "a.scala", "a.swift", "a.sh", "a.md", "a.unknown")  # fmt: skip


def chunks_of(name: str, text: str) -> tuple[Chunk, ...]:
    record = extract_file(path=name, mode="100644", blob="0" * 40, content=text.encode())
    return record.chunks


def spans_of(name: str, text: str) -> list[tuple[int, int, str]]:
    return [(*chunk.span, chunk.name) for chunk in chunks_of(name, text)]


@examples(300)
@given(
    name=st.sampled_from(NAMES),
    parts=st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=30)), max_size=40),
)
def test_chunks_cover_each_line_that_is_not_blank_exactly_once(name: str, parts: list[str]) -> None:
    text = "".join(parts).replace("\0", "")
    lines = split_lines(text)
    covered: list[int] = []
    for chunk in chunks_of(name, text):
        assert 1 <= chunk.span.start <= chunk.span.end <= len(lines)
        assert line_span(lines, chunk.span).strip()
        covered.extend(range(chunk.span.start, chunk.span.end + 1))
    assert covered == sorted(set(covered))
    not_blank = {number for number, line in enumerate(lines, 1) if line.strip()}
    assert not_blank <= set(covered)


def test_doc_comment_and_decorators_belong_to_the_definition() -> None:
    text = "import a\n\n# Explains.\n@one\n@two(\n  1,\n)\ndef first():\n    return 1\n"
    assert spans_of("a.py", text) == [(1, 1, ""), (3, 9, "first")]


def test_comment_that_stands_apart_does_not_belong_to_the_definition() -> None:
    text = "import a\n\n# Section\n\ndef first():\n    return 1\n"
    assert spans_of("a.py", text) == [(1, 3, ""), (5, 6, "first")]


def test_comment_behind_code_does_not_belong_to_the_next_definition() -> None:
    text = "x = 1  # one\ndef first():\n    return 1\n"
    assert spans_of("a.py", text) == [(1, 1, ""), (2, 3, "first")]


def test_licence_is_a_comment_chunk() -> None:
    licence = "# Copyright 2026 the authors.\n" * 5
    chunks = chunks_of("a.py", f"{licence}\nimport a\n")
    assert [(chunk.type, *chunk.span) for chunk in chunks] == [
        (ChunkType.COMMENT, 1, 5),
        (ChunkType.MODULE, 7, 7),
    ]


def test_class_is_a_header_and_its_methods() -> None:
    body = '        """Does what it says, and says what it does, at some length."""\n' * 3
    text = (
        "class Order(Base):\n    size = 1\n\n"
        f"    def first(self):\n{body}\n    def second(self):\n{body}"
    )
    chunks = chunks_of("a.py", text)
    assert [(chunk.type, chunk.container, chunk.name, *chunk.span) for chunk in chunks] == [
        (ChunkType.CLASS, "", "Order", 1, 2),
        (ChunkType.METHOD, "Order", "first", 4, 7),
        (ChunkType.METHOD, "Order", "second", 9, 12),
    ]


def test_large_function_is_split_at_blank_lines_and_keeps_its_name() -> None:
    statement = "    value = compute(value, value)\n" * 9
    text = "def large(value):\n" + f"{statement}\n" * 12 + "    return value\n"
    lines = split_lines(text)
    chunks = chunks_of("a.py", text)
    assert len(chunks) > 2
    assert {(chunk.type, chunk.name) for chunk in chunks} == {(ChunkType.FUNCTION, "large")}
    for chunk in chunks:
        assert len(line_span(lines, chunk.span)) <= SOFT_CHARACTERS
        following = chunk.span.end
        assert following == len(lines) or not lines[following].strip()


def test_functions_inside_a_large_function_are_chunks_of_their_own() -> None:
    statement = "    value = compute(value, value)\n" * 25
    inner = "    def inner(value):\n" + "        return compute(value)\n" * 8
    text = f"def outer(value):\n{statement}\n{inner}\n{statement}"
    named = [(chunk.container, chunk.name) for chunk in chunks_of("a.py", text)]
    assert named == [("", "outer"), ("outer", "inner"), ("", "outer")]


def test_run_of_one_line_functions_is_one_chunk() -> None:
    text = "def a(): return 1\ndef b(): return 2\n\ndef c(): return 3\n"
    assert spans_of("a.py", text) == [(1, 4, "a, b, c")]


def test_closing_brackets_belong_to_what_they_close() -> None:
    method = "    void first() {\n" + "        work(1, 2, 3);\n" * 30 + "    }\n"
    text = f"class A {{\n    int x;\n{method}}} // class A\n"
    assert spans_of("A.java", text) == [(1, 2, "A"), (3, 35, "first")]


def test_definitions_on_one_line_do_not_share_it() -> None:
    text = "class A { a() {} } class B { b() {} }\nclass C {\n  c() {}\n}\n"
    covered = [(start, end) for start, end, _ in spans_of("a.js", text)]
    assert covered == [(1, 4)] or covered == [(1, 1), (2, 4)]


def test_windows_of_text_are_at_most_sixty_lines() -> None:
    chunks = chunks_of("a.txt", "word\n" * 500)
    assert all(chunk.span.end - chunk.span.start < WINDOW_LINES for chunk in chunks)
    assert len(chunks) < 20


def test_line_longer_than_the_limit_is_one_chunk() -> None:
    chunks = chunks_of("a.txt", "short\n" + "x " * 5000 + "\nshort\n")
    assert (2, 2) in {tuple(chunk.span) for chunk in chunks}
