"""What a name stands for, in cases that the golden files would hide; and that it all ends."""

import gc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.pipeline.worker import extract_file
from indexer.records.files import FileRecord
from indexer.resolution.file_relations import FILE_REFERENCES
from tests.indexer.golden import SOURCES
from tests.property_settings import examples


def record_of(path: str, content: bytes) -> FileRecord:
    return extract_file(path=path, mode="100644", blob="0" * 40, content=content)


def uses(path: str, text: str) -> list[str]:
    """Each reference as kind, binding, root.chain, access and name."""
    return [
        f"{one.kind} {one.binding}:{'.'.join(filter(None, (one.root, one.chain)))}"
        f" {one.access} {one.name}".rstrip()
        for one in record_of(path, text.encode()).references
    ]


def test_nothing_of_a_file_waits_for_the_garbage_collector() -> None:
    files = [(path.name.removesuffix(".txt"), path.read_bytes()) for path in SOURCES]
    left = []
    for _ in range(2):  # the first time, grammars and tables are loaded
        gc.collect()
        gc.disable()
        try:
            for path, content in files:
                record_of(path, content)
            left.append(gc.collect())
        finally:
            gc.enable()
    assert left[1] == 0


def test_parameter_hides_an_import() -> None:
    text = "import requests\ndef f(requests):\n    requests.get()\n"
    assert uses("a.py", text) == ["call unknown: path get"]


def test_local_import_is_seen_in_its_function_only() -> None:
    text = "def f():\n    import m\n    m.go()\ndef g():\n    m.go()\n"
    assert uses("a.py", text) == ["call import:m.go path go", "call free:m.go path go"]


def test_method_is_no_bare_name() -> None:
    text = "class A:\n    def go(self):\n        go()\n"
    assert uses("a.py", text) == ["call free:go path go"]


def test_last_assignment_before_the_use_counts() -> None:
    text = "from m import A, B\ndef f():\n    x = A()\n    x.a()\n    x = B()\n    x.b()\n"
    assert [one for one in uses("a.py", text) if "result" in one] == [
        "call import:A result a",
        "call import:B result b",
    ]


def test_name_assigned_from_itself_ends() -> None:
    assert uses("a.py", "x = x()\nx.go()\ny = z\nz = y\ny.go()\n")[0].startswith("call")
    field = "class A:\n    def f(self):\n        x = self.x\n        self.x = x\n        self.x()\n"
    assert uses("a.py", field) == ["call unknown: path x"]


def test_call_of_a_local_says_nothing_of_others() -> None:
    assert uses("a.py", "def f(callback):\n    callback()\n") == [
        "call local:f.=.0=callback path =callback"
    ]


def test_names_of_the_language_are_left_out_unless_hidden() -> None:
    assert uses("a.py", "print(len([]))\n") == []
    assert uses("a.py", "from m import print\nprint(1)\n") == ["call import:print path print"]


def test_own_list_of_names_decides_what_is_exported() -> None:
    record = record_of("a.py", b"__all__ = ['f']\ndef f(): ...\ndef g(): ...\n")
    assert {one.name: one.exported for one in record.symbols} == {"f": True, "g": False}


def test_columns_count_characters() -> None:
    record = record_of("a.py", "from m import f\nx = 'ü' + f()\n".encode())
    assert [(one.line, one.column) for one in record.references if one.kind == "call"] == [(2, 10)]


def test_of_too_many_references_the_first_are_kept() -> None:
    line = b"function_with_a_long_name('argument')\n"
    record = record_of("a.py", line * (FILE_REFERENCES + 1_000))
    assert len(record.references) == FILE_REFERENCES
    assert record.references[-1].line == FILE_REFERENCES


def test_long_chain_of_calls_is_read_in_a_moment() -> None:
    record = record_of("a.py", b"(start()\n" + b"    .step(1)\n" * 900 + b")\n")
    assert [one.name for one in record.references[:3]] == ["start", "step", "step"]
    assert len(record.references) == 901


@pytest.mark.parametrize(
    "line",
    [
        b"x = maker(); x.member_of_it()\n",
        b"self.x = maker(); self.x.go()\n",
        b"@decorator_of_some_kind\n",
        b"import package_%d.module; package_%d.other()\n",
    ],
)
def test_what_repeats_is_read_in_a_moment(line: bytes) -> None:
    head = b"class A:\n  def f(self): ...\n"
    body = b"".join(line.replace(b"%d", str(number).encode()) for number in range(3_000))
    record = record_of("a.py", head + body)
    assert record.degraded is not None or len(record.references) >= 3_000


@pytest.mark.parametrize("name", ["a.py", "a.js", "a.ts", "a.tsx"])
@examples(25)
@given(content=st.binary(max_size=300))
def test_any_text_has_a_record(name: str, content: bytes) -> None:
    text = content.replace(b"\0", b"").decode("utf-8", "ignore").encode()  # with one it is no text
    assert len(record_of(name, text).references) <= len(text)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
@examples(10)
@given(data=st.data())
def test_torn_source_has_a_record(source: Path, data: st.DataObject) -> None:
    text = source.read_text("utf-8")
    cut = st.integers(0, len(text))
    start, end, place = data.draw(st.tuples(cut, cut, cut))
    torn = text[:place] + text[min(start, end) : max(start, end)] + text[place:][::-1]
    record = record_of(source.name.removesuffix(".txt"), torn.encode())
    lines = torn.count("\n") + 1
    assert all(1 <= one.line <= lines for one in record.references)


def test_crate_that_no_use_names_is_imported_but_no_variable_of_a_macro_is() -> None:
    record = record_of("src/a.rs", b"fn f() { metrics::count(1); run!(|cmd| cmd.go(cmd.arg(2))); }")
    assert [(one.local, one.path) for one in record.imports] == [("metrics", "metrics")]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("mod lorry;\nuse lorry::Lorry;", "/src.a.lorry.Lorry"),
        ("use lorry::Lorry;\nmod lorry { pub struct Lorry; }", "/src.a.lorry.Lorry"),
        ("enum Level { Low }\npub(crate) use Level::Low;", "/src.a.Level.Low"),
        ("mod b { mod lorry; fn f() { use lorry::Lorry; } }", "/src.a.b.lorry.Lorry"),
        ("mod lorry;\nmod b { use lorry::Lorry; }", "lorry.Lorry"),
        ("mod lorry;\nuse ::lorry::Lorry;", "lorry.Lorry"),
    ],
)
def test_use_begins_with_a_module_that_is_declared_where_it_stands(text: str, path: str) -> None:
    assert path in [one.path for one in record_of("src/a.rs", text.encode()).imports]


def test_super_of_a_module_in_the_file_is_what_is_around_it() -> None:
    text = "fn go() {}\nmod tests { fn f() { super::go(); } }\n"
    assert uses("src/a.rs", text) == ["call local:go path go"]


def test_module_of_ruby_may_go_on_in_other_files() -> None:
    text = "module Acme\n  def self.go = nil\nend\nAcme.go\nAcme::Retry.run(1)\n"
    assert uses("a.rb", text) == ["call local:Acme.go path go", "call free:Acme.Retry.run path run"]


def test_member_of_a_bare_call_is_one_of_its_result() -> None:
    text = "class A\n  def log = Log.new\n  def go\n    log.write(1)\n  end\nend\n"
    assert "call local:A.log result write" in uses("a.rb", text)


def test_case_of_a_type_switch_tells_the_type_in_that_case_alone() -> None:
    cases = "case *A:\ny.a()\ndefault:\ny.b()\n"
    text = "package p\nfunc f(x any) {\nswitch y := x.(type) {\n" + cases + "}\n}\n"
    assert uses("a.go", text) == ["call free:A instance a", "call unknown: path b"]


def test_method_of_the_receiver_is_a_value() -> None:
    text = "package p\ntype A struct{ x int }\nfunc (a *A) go1() { run(a.go1, a.x) }\n"
    assert uses("a.go", text) == ["call free:run path run", "value local:A instance go1"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.go", "package a\nfunc run(own int) { use(parse, own, nil); t := []fn{parse} }\n"),
        ("a.swift", "func run(own: Int) { use(parse, own, nil); use(parse) }\n"),
        ("a.kt", "package a\nfun run(own: Int) { use(::parse, own, null); use(::parse) }\n"),
        ("a.c", "void run(int own) { use(parse, own, 1); struct o x = { .open = parse }; }\n"),
    ],
)
def test_a_function_of_another_file_of_the_package_may_be_passed(path: str, text: str) -> None:
    values = [use for use in uses(path, text) if use.startswith("value")]
    assert values == ["value free:parse path parse"] * 2
