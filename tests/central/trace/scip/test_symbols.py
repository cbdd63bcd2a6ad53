"""Symbols are those of the ecosystem's own indexer: what these wrote for real code."""

import pytest

from central.trace.scip.symbols import Defined, DefiningFile, symbols_of
from indexer.records.scip import format_symbol, parse_symbol

VIEW = DefiningFile(
    *("view", "c" * 40, "src/input.ts", "typescript", "", "prosemirror-view", "1.41.7", "")
)
AUTH = DefiningFile(*("httpx", "c" * 40, "httpx/_auth.py", "python", "", "httpx", "0.28.1", ""))
DOC = DefiningFile(
    *("cobra", "adbc8813901b" + "0" * 28, "doc/man.go", "go", "", "github.com/spf13/cobra", "", "")
)
METHODS = DefiningFile(
    *("gson", "c" * 40, "src/Methods.java", "java", "com.acme", "com.acme:methods", "2.1", "")
)
SHOP = DefiningFile(*("shop", "c" * 40, "lib/cart.rb", "ruby", "", "", "", ""))


def symbols(file: DefiningFile, *definitions: str) -> list[str]:
    """The symbols of `kind qualified.name [signature]`, "-" for one that is local."""
    named = []
    for definition in definitions:
        kind, name, signature = (*definition.split(" ", 2), "")[:3]
        text = signature.strip()
        is_inner = signature.startswith(" ")
        named.append(Defined(name.rpartition(".")[2], name, kind, text, is_inner))
    return [format_symbol(one) if one else "-" for one in symbols_of(file, named)]


def test_typescript() -> None:
    of = "scip-typescript npm prosemirror-view 1.41.7 src/`input.ts`/"
    assert symbols(
        VIEW,
        "class InputState export class InputState",
        "method InputState.constructor constructor(view: EditorView)",
        "method InputState.done done()",
        "method InputState.size get size()",
        "method InputState.update update?: (node: Node) => boolean",
        "function initInput export function initInput(view: EditorView)",
        "function initInput.nested function nested()",
        "function eventCoords export const eventCoords = function(event: MouseEvent)",
        "constant handlers const handlers: Record<string, Handler> = {",
        "method handlers.touch touch: view => {",
        "function touch touch: view => {",
        "class PluginView  class PluginView",
        "interface NodeView export interface NodeView",
    ) == [
        f"{of}InputState#",
        f"{of}InputState#`<constructor>`().",
        f"{of}InputState#done().",
        f"{of}InputState#`<get>size`().",
        f"{of}InputState#update.",
        f"{of}initInput().",
        "-",  # it is local
        f"{of}eventCoords.",
        f"{of}handlers.",
        f"{of}touch0:",
        f"{of}touch1:",
        "-",  # its text is indented, in a function without a name
        f"{of}NodeView#",
    ]


def test_python() -> None:
    of = "scip-python python httpx 0.28.1 `httpx._auth`/"
    assert symbols(
        AUTH,
        "class DigestAuth",
        "method DigestAuth.__init__",
        "constant DigestAuth._ALGORITHMS",
        "method DigestAuth.build",
        "function DigestAuth.build.digest",
        "class DigestAuth.build.Inner",
        "method DigestAuth.build.Inner.run",
        "function outer",
        "function outer.inner",
    ) == [
        f"{of}DigestAuth#",
        f"{of}DigestAuth#__init__().",
        f"{of}DigestAuth#_ALGORITHMS.",
        f"{of}DigestAuth#build().",
        f"{of}DigestAuth#digest().",  # beside the method
        f"{of}DigestAuth#build().Inner#",
        f"{of}DigestAuth#build().Inner#run().",
        f"{of}outer().",
        f"{of}outer().inner().",
    ]


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("httpx/__init__.py", "httpx"),
        ("src/httpx/_api.py", "`httpx._api`"),
        ("tests/client/test_auth.py", "`tests.client.test_auth`"),
    ],
)
def test_a_module_of_python_is_named_from_the_project_on(path: str, module: str) -> None:
    [symbol] = symbols(AUTH._replace(path=path), "function get")
    assert symbol == f"scip-python python httpx 0.28.1 {module}/get()."


def test_go() -> None:
    of = "scip-go gomod github.com/spf13/cobra adbc8813901b `github.com/spf13/cobra/doc`/"
    assert symbols(
        DOC,
        "struct GenManHeader",
        "method GenManHeader.Fill",
        "method Elsewhere.Fill",  # of a type in another file
        "interface Printer",
        "method Printer.Print",
        "function GenMan",
        "constant markdownExtension",
    ) == [
        f"{of}GenManHeader#",
        f"{of}GenManHeader#Fill().",
        f"{of}Elsewhere#Fill().",
        f"{of}Printer#",
        f"{of}Printer#Print.",
        f"{of}GenMan().",
        f"{of}markdownExtension.",
    ]


def test_java() -> None:
    of = "scip-java maven maven/com.acme/methods 2.1 com/acme/"
    assert symbols(
        METHODS,
        "class Methods",
        "method Methods.Methods",
        "method Methods.load",
        "method Methods.load",
        "class Methods.Inner",
        "constant Methods.Inner.MAX",
    ) == [
        f"{of}Methods#",
        f"{of}Methods#`<init>`().",
        f"{of}Methods#load().",
        f"{of}Methods#load(+1).",
        f"{of}Methods#Inner#",
        f"{of}Methods#Inner#MAX.",
    ]


def test_other_languages_have_a_scheme_of_our_own() -> None:
    assert symbols(SHOP, "module Shop", "class Shop.Cart", "method Shop.Cart.add!") == [
        "aeterna codesearch shop . lib/`cart.rb`/Shop/",
        "aeterna codesearch shop . lib/`cart.rb`/Shop/Cart#",
        "aeterna codesearch shop . lib/`cart.rb`/Shop/Cart#`add!`().",
    ]


def test_a_path_begins_at_its_package() -> None:
    file = VIEW._replace(path="packages/view/src/dom.ts", root="packages/view")
    assert symbols(file, "constant nav") == [
        "scip-typescript npm prosemirror-view 1.41.7 src/`dom.ts`/nav."
    ]


def test_what_is_written_is_what_the_format_reads() -> None:
    odd = SHOP._replace(repository="our shop", path="lib/a b/`c`.rb")
    [symbol] = symbols(odd, "method operator<=>")
    parsed = parse_symbol(symbol)
    assert parsed is not None
    assert parsed.package == "our shop"
    assert [one.name for one in parsed.descriptors] == ["lib", "a b", "`c`.rb", "operator<=>"]
