"""What is kept of a document, and which documents are of another text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import ScipDocumentError
from indexer.records.scip import (
    Descriptor,
    ScipDocument,
    ScipSymbol,
    Suffix,
    format_symbol,
    parse_symbol,
)
from indexer.scip import documents
from indexer.scip.documents import IndexedDocument, check_document, read_document
from indexer.scip.names import symbol_key
from indexer.scip.reading import IndexHead
from indexer.scip.scip_pb2 import Document, PositionEncoding, SymbolRole
from tests.indexer.scip.indexes import PYTHON, TYPESCRIPT, document

TS = IndexHead("scip-typescript", "0.4.0", "/", is_utf16=False)
PY = IndexHead("scip-python", "0.6.6", "/", is_utf16=False)
GO = IndexHead("scip-go", "0.2.9", "/", is_utf16=False)
A, B = "src/`a.ts`/", "`shop.a`/"


def read(made: Document, head: IndexHead = TS) -> IndexedDocument:
    return read_document(made.SerializeToString(), head)


def checked(marked: str, head: IndexHead = TS, *, text: str | None = None) -> ScipDocument:
    prefix = PYTHON if head is PY else TYPESCRIPT
    made, source = document("a", marked, prefix)
    return check_document(
        read(made, head), path="a", blob="0" * 40, text=source if text is None else text
    )


def names(found: ScipDocument) -> dict[str, list[tuple[int, int]]]:
    """Places by what the symbol names."""
    return {
        symbol.split(" ")[-1]: [
            (line, column)
            for line, column, number in (*found.definitions, *found.references)
            if number == n
        ]
        for n, symbol in enumerate(found.symbols)
    }


def test_definitions_and_references_are_kept_and_locals_parameters_and_modules_are_not() -> None:
    found = checked(
        f"import «x|{A}»\n"
        f"function «=make|{A}make().»(«=n|{A}make().(n)») {{\n"
        f"  const «=v|local 1» = «n|{A}make().(n)»; «make|{A}make().»()\n"
        f"class «=Box|{A}Box#»<«=T|{A}Box#[T]»> {{}}\n"
        f"«const|» «=LIMIT|{A}LIMIT.» = 1"
    )
    assert names(found) == {
        f"{A}Box#": [(4, 6)],
        f"{A}LIMIT.": [(5, 6)],
        f"{A}make().": [(2, 9), (3, 15)],
    }
    assert len(found.definitions) == 3


def test_a_reference_to_a_constructor_is_one_to_its_class_and_its_definition_is_its_own() -> None:
    init = f"{A}Box#`<constructor>`()."
    found = checked(f"class «=Box|{A}Box#» {{ «=constructor|{init}»() {{}} }}\nnew «Box|{init}»()")
    assert names(found) == {f"{A}Box#": [(1, 6), (2, 4)], init: [(1, 12)]}
    init = f"{B}Box#__init__()."
    found = checked(
        f"class «=Box|{B}Box#»:\n  def «=__init__|{init}»(self):\n    super().«__init__|{init}»()",
        PY,
    )
    assert names(found) == {f"{B}Box#": [(1, 6), (3, 12)], init: [(2, 6)]}


@pytest.mark.parametrize(
    "line",
    [
        f"import {{ «make|{A}make().» as «build|{A}make().» }}; «build|{A}make().»()",
        f"import «build|{A}make().» from './a'\n«build|{A}make().»()",
        f"import type «Other|{A}Box#», {{ x }} from './a'",
        f"export {{ «default|{A}make().» as «made|{A}make().» }} from './a'",
        f"import «copy|{A}NS/q.» = NS.«q|{A}NS/q.»",
        f"class C {{ get «=n|{A}C#`<get>n`().»() {{}} set «=n|{A}C#`<set>n`().»(x) {{}} }}",
        f'const o = {{ «=get|{A}get0:»: 1, «="a-b"|{A}`"a-b"12`:»: 2 }}; o[«\'get\'|{A}get0:»',
        f'type T = Pick<I, «"load"|{A}I#load().»>; on(«click|{A}Events#`"click"`.»)',
        f"class C {{ «=#p|{A}C#`#p`.» = this.«#p|{A}C#`#p`.» }}",
        f"class C extends B {{ constructor() {{ «super|{A}B#`<constructor>`().»() }} }}",
    ],
)
def test_typescript_names_that_differ_from_the_text(line: str) -> None:
    made, _ = document("a", line)
    found = checked(line)
    assert len(found.definitions) + len(found.references) == len(made.occurrences)


def test_a_quoted_name_stands_behind_its_quote() -> None:
    assert names(checked(f'x[«"load"|{A}I#load().»]')) == {f"{A}I#load().": [(1, 3)]}


def test_a_member_of_a_namespace_says_nothing_and_what_another_file_renames_is_kept() -> None:
    found = checked(
        f"import * as all from './b'\nimport {{ «made|{A}make().» }} from './b'\n"
        f"all.«built|{A}build().»(); «made|{A}make().»(); «stop|{A}stop().»()"
    )
    assert names(found) == {f"{A}make().": [(2, 9), (3, 13)], f"{A}stop().": [(3, 21)]}


@pytest.mark.parametrize(
    "line",
    [
        f"import «shop.b|shop.b/__init__:»\nfrom x import «make as build|{B}make().»\n"
        f"«build|{B}make().»()",
        f"from x import («make as build|{B}make().»,\n  y)",
    ],
)
def test_python_s_aliases(line: str) -> None:
    assert set(names(checked(line, PY))) == {f"{B}make()."}


def test_members_that_scip_python_confuses_say_nothing() -> None:
    """`httpx.Client` is `AsyncClient#` for it, and an attribute in `__slots__` is its class."""
    found = checked(
        f"from «._client|{B}AsyncClient#» import *\nimport httpx\n"
        f"from asyncio import («events|{B}Loop#»)\n"
        f"httpx.«Client|{B}AsyncClient#»()\nos.path.x\nself.«_size|{B}Box#»\n"
        f"«events|{B}Loop#».x\n«__class__|{B}Box#f().»\n«make|{B}make().»()",
        PY,
    )
    assert names(found) == {f"{B}make().": [(9, 0)]}


def test_what_an_import_renames_may_be_a_re_export_itself() -> None:
    """`collections.abc.Set` is `typing.AbstractSet`."""
    marked = f"from collections.abc import «Set as AbstractSet|{B}AbstractSet#»\n"
    found = checked(f"{marked}x: «AbstractSet|{B}AbstractSet#»", PY)
    assert names(found) == {f"{B}AbstractSet#": [(2, 3)]}


@pytest.mark.parametrize(
    ("marked", "stale", "head"),
    [
        (f"function «=make|{A}make().»() {{}}", "function made() {}", TS),
        (f"function «=make|{A}make().»() {{}}", "\nfunction make() {}", TS),
        (f"function «=make|{A}make().»() {{}}", "function makes() {}", TS),
        (f"function «=make|{A}make().»() {{}}", "", TS),
        (f"x = «make|{A}make().»()", "x = made()", TS),
        (f"x.«make|{A}Box#make().»()", "x.made()", TS),
        (f"import {{ «make|{A}make().» }}; «make|{A}make().»", "import { made }; make", TS),
        (
            f"class C {{ get «=size|{A}C#`<get>size`().»() {{}} }}",
            "class C { get seen() {} }",
            TS,
        ),
        (f"new «Box|{A}Box#`<constructor>`().»()", "new Bag()", TS),
        (f"def «=make|{B}make().»(): pass", "def made(): pass", PY),
        (f"«make|{B}make().»()", "made()", PY),
        (f"box.«make|{B}Box#make().»()", "box.made()", PY),
        (f"class «=Box|{B}Box#»: pass", "class Bag: pass", PY),
    ],
)
def test_a_document_of_another_text_is_refused(marked: str, stale: str, head: IndexHead) -> None:
    assert checked(marked, head).symbols
    with pytest.raises(ScipDocumentError, match="does not stand in line 1"):
        checked(marked, head, text=stale)


@pytest.mark.parametrize("head", [TS, PY])
def test_columns_of_node_s_indexers_are_in_utf_16(head: IndexHead) -> None:
    marked = f'x = "🐍" + "é" + «make|{A}make().»()'
    assert names(checked(marked, head)) == {f"{A}make().": [(1, 16)]}


@pytest.mark.parametrize(
    ("encoding", "column"),
    [
        (PositionEncoding.UTF8CodeUnitOffsetFromLineStart, 7),
        (PositionEncoding.UTF16CodeUnitOffsetFromLineStart, 4),
        (PositionEncoding.UTF32CodeUnitOffsetFromLineStart, 3),
        (PositionEncoding.UnspecifiedPositionEncoding, 7),  # scip-go: UTF-8
    ],
)
def test_columns_are_in_the_units_that_the_document_names(
    encoding: PositionEncoding.ValueType, column: int
) -> None:
    made = Document(relative_path="a", position_encoding=encoding)
    made.occurrences.add(range=[0, column, column + 1], symbol=symbol("f()."))
    found = check_document(read(made, GO), path="a", blob="0" * 40, text="é🐍 f")
    assert [place[:2] for place in found.references] == [(1, 3)]
    with pytest.raises(ScipDocumentError):
        check_document(read(made, GO), path="a", blob="0" * 40, text="é🐍 g")


def symbol(descriptors: str) -> str:
    return "scip-go gomod shop v1 " + descriptors


def test_ranges_of_one_line_may_have_types_or_four_numbers_and_expressions_are_left_out() -> None:
    made = Document(relative_path="a")
    typed = made.occurrences.add(symbol=symbol("f()."))
    typed.single_line_range.end_character = 1
    made.occurrences.add(range=[0, 2, 0, 3], symbol=symbol("g()."))
    made.occurrences.add(range=[0, 4, 1, 1], symbol=symbol("h()."))
    made.occurrences.add(range=[0, 4, 4], symbol=symbol("i()."))
    found = check_document(read(made, GO), path="a", blob="0" * 40, text="f g (\nh)")
    assert names(found) == {"f().": [(1, 0)], "g().": [(1, 2)]}


@pytest.mark.parametrize(
    "numbers", [[], [0], [0, 1], [-1, 0, 1], [0, -1, 1], [0, 2, 1], [1, 0, 0, 1]]
)
def test_a_range_that_is_none_refuses_its_document(numbers: list[int]) -> None:
    made = Document()
    made.occurrences.add(range=numbers, symbol=symbol("f()."))
    with pytest.raises(ScipDocumentError, match="range"):
        read(made, GO)


def test_a_range_far_away_is_not_there() -> None:
    made = Document()
    made.occurrences.add(range=[0, 2**31 - 2, 2**31 - 1], symbol=symbol("f()."))
    with pytest.raises(ScipDocumentError, match="line 1"):
        check_document(read(made, GO), path="a", blob="0" * 40, text="é f")


def test_the_digest_is_of_what_is_stored() -> None:
    first = f"function «=make|{A}make().»(«=n|local 1») {{}}\n«make|{A}make().»()"
    made, _ = document("a", first)
    digest = read(made).digest
    equal = Document.FromString(made.SerializeToString())
    equal.language = "typescript"
    equal.symbols.add(symbol=equal.occurrences[0].symbol, documentation=["text"])
    reversed_occurrences = [*equal.occurrences][::-1]
    del equal.occurrences[:]
    equal.occurrences.extend(reversed_occurrences)
    for one in equal.occurrences:
        one.symbol = one.symbol.replace(" 1.0.0 ", " 2.0.0 ").replace("local 1", "local 9")
    assert read(equal, TS._replace(version="0.5.0")).digest == digest
    assert read(made, TS._replace(tool="other")).digest != digest
    equal.occurrences[0].symbol_roles = SymbolRole.Definition
    assert read(equal).digest != digest
    assert (
        read(document("a", first.replace("»()", "»(1)\n"))[0]).digest == digest
    )  # the text is the blob's
    assert read(document("a", " " + first)[0]).digest != digest


def test_relationships_say_what_implements_what() -> None:
    made, source = document("a", f"class «=Box|{A}Box#» {{}}")
    information = made.symbols.add(symbol=TYPESCRIPT + f"{A}Box#")
    information.relationships.add(symbol=TYPESCRIPT + f"{A}Base#", is_implementation=True)
    information.relationships.add(symbol=TYPESCRIPT + f"{A}Other#", is_reference=True)
    information.relationships.add(symbol="local 4", is_implementation=True)
    found = check_document(read(made), path="a", blob="0" * 40, text=source)
    [(one, other)] = found.relationships
    assert (found.symbols[one], found.symbols[other]) == (
        f"scip-typescript npm shop . {A}Box#",
        f"scip-typescript npm shop . {A}Base#",
    )


def test_what_is_over_a_limit_is_cut_and_counted_or_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    marked = f"«=f|{A}f().» «f|{A}f().» «f|{A}f().» «=g|{A}g().» «x|{A}{'x' * 1_000}.»"
    for name in ("SCIP_DEFINITIONS", "SCIP_OCCURRENCES"):
        monkeypatch.setattr(documents, name, 1)
    found = checked(marked)
    assert (names(found), found.cut) == ({f"{A}f().": [(1, 0), (1, 2)]}, 3)
    monkeypatch.setattr(documents, "SCIP_DOCUMENT_MESSAGES", 3)
    with pytest.raises(ScipDocumentError, match="too many"):
        checked(marked)


def test_a_malformed_document_is_refused() -> None:
    with pytest.raises(ScipDocumentError, match="malformed"):
        read_document(b"\x0a\x05ab", TS)


_NAMES = st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1, max_size=8)
# The grammar is ambiguous for a field that begins with a space, and `.` stands for an empty one.
_FIELDS = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=8).filter(
    lambda text: text != "." and not text.startswith(" ")
)
_DESCRIPTORS = st.builds(
    Descriptor,
    _NAMES,
    st.sampled_from(Suffix),
    st.just(""),
) | st.builds(Descriptor, _NAMES, st.just(Suffix.METHOD), st.from_regex(r"\A[a-z0-9+]{0,4}\Z"))
_SYMBOLS = st.builds(
    ScipSymbol,
    st.from_regex(r"\A[b-k-]{1,8}( [a-z]{1,3})?\Z"),
    _FIELDS,
    _FIELDS,
    _FIELDS,
    st.lists(_DESCRIPTORS, min_size=1, max_size=4).map(tuple),
)


@given(_SYMBOLS)
def test_a_symbol_is_read_as_it_was_written_and_its_key_has_no_version(made: ScipSymbol) -> None:
    text = format_symbol(made)
    assert parse_symbol(text) == made
    key = symbol_key(text)
    kept = made.descriptors[-1].suffix not in {
        Suffix.NAMESPACE,
        Suffix.PARAMETER,
        Suffix.TYPE_PARAMETER,
    } and made.descriptors[-1] != Descriptor("__init__", Suffix.META)
    assert parse_symbol(key) == (made._replace(version="") if kept else None)


@given(st.text(max_size=60))
def test_text_of_any_kind_is_a_symbol_or_none(text: str) -> None:
    found = parse_symbol(text)
    assert found is None or parse_symbol(format_symbol(found)) == found
