"""Functions as values in JavaScript: passed, returned, in tables, and held by a constant."""

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository


def _web(**files: str) -> None:
    written = {f"src/{name}.jsx": text for name, text in files.items()}
    repository("web", {"package.json": '{"name": "web", "version": "1.0.0"}', **written})


def test_a_component_is_used_where_the_one_that_wraps_it_is(callers: Callers) -> None:
    _web(
        hoc="""
        export const withForm = (options) => (Inner) => Inner;
        """,
        parts="""
        import { withForm } from "./hoc";
        function Name() {}
        function Mail() {}
        export const NameForm = withForm({})(Name);
        export const MailForm = withForm({})(Mail);
        """,
        page="""
        import { NameForm } from "./parts";
        export const Page = () => <NameForm />;
        """,
    )
    assert callers("Name", kind="element") == ["web/src/page.jsx:3 Page medium"]
    assert callers("Mail", kind="element") == []  # another call of `withForm` is given it
    assert callers("NameForm", kind="element") == ["web/src/page.jsx:3 Page high"]


def test_a_table_holds_functions_by_their_keys(callers: Callers) -> None:
    _web(
        main="""
        function save() {}
        function drop() {}
        const table = { save, "drop": drop };
        function run(apply) { apply(); }
        function go() { table["save"](); run(drop); }
        """
    )
    assert callers("save", kind="call") == ["web/src/main.jsx:6 go medium"]
    assert callers("drop", kind="call") == ["web/src/main.jsx:5 run medium"]


def test_a_variable_is_the_function_that_it_was_assigned_last(callers: Callers) -> None:
    _web(
        main="""
        function first() {}
        function second() {}
        function go() {
          let chosen = first;
          chosen = second;
          chosen();
          second.call(null);
        }
        """
    )
    assert callers("first", kind="call") == []
    assert callers("second", kind="call") == [
        "web/src/main.jsx:7 go high",
        "web/src/main.jsx:8 go high",
    ]


def test_a_function_may_have_an_apply_of_its_own(callers: Callers) -> None:
    _web(
        main="""
        function Extend() {}
        Extend.apply = function (target) {};
        Extend.apply({});
        """
    )
    assert callers("Extend", kind="call") == []
    assert callers("Extend.apply", kind="call") == ["web/src/main.jsx:4 <module> high"]
