"""Members of TypeScript by their types: `$` in names, parameters by the function asked for."""

from collections.abc import Callable

import pytest

from tests.central.trace.corpus import repository

pytestmark = pytest.mark.django_db

Callers = Callable[..., list[str]]

_LIBRARY = {
    "package.json": '{"name": "@acme/lib", "version": "1.0.0", "main": "src/index.ts"}',
    "src/index.ts": """
        export class State { apply(): void {} }
        export class View { focus(): void {} }
        export type Command = (state: State, view?: View) => boolean
        export type Handlers = { press: (view: View) => void }
        """,
}


def _uses(text: str) -> None:
    repository("lib", _LIBRARY)
    repository(
        "app",
        {
            "package.json": '{"name": "app", "dependencies": {"@acme/lib": "1.0.0"}}',
            "src/main.ts": text,
        },
    )


def test_parameters_have_the_types_of_the_declared_function_type(callers: Callers) -> None:
    _uses(
        """
        import { Command, State, View } from "@acme/lib"

        export const first: Command = (state, view) => {
          view.focus()
          return state.apply()
        }
        export function make(): Command {
          return function (s) { s.apply(); return true }
        }
        class Keys {
          up: (state: State, view: View) => void = (_, view) => view.focus()
        }
        """
    )
    assert callers("State.apply") == [
        "app/src/main.ts:6 first high",
        "app/src/main.ts:9 make high",
    ]
    assert callers("View.focus") == [
        "app/src/main.ts:5 first high",
        "app/src/main.ts:12 Keys.up high",
    ]


def test_a_parameter_with_a_type_of_its_own_keeps_it(callers: Callers) -> None:
    _uses(
        """
        import { Command, View } from "@acme/lib"

        export const first: Command = (state: View) => state.focus()
        export const second: Command = (...rest) => rest.apply()
        export const third: unknown = (state) => state.apply()
        """
    )
    assert callers("View.focus") == ["app/src/main.ts:4 first high"]
    assert callers("State.apply") == []


def test_what_a_call_is_given_has_the_parameters_that_the_function_declares(
    callers: Callers,
) -> None:
    repository(
        "lib",
        {
            **_LIBRARY,
            "src/rules.ts": """
                import { State, View } from "./index"
                export function apply(view: View, then?: (state: State) => void): void {}
                export class Rules {
                  add(name: string, rule: (view: View, state: State) => boolean): void {}
                }
                """,
        },
    )
    app = {
        "package.json": '{"name": "app", "dependencies": {"@acme/lib": "1.0.0"}}',
        "src/main.ts": """
            import { apply, Rules } from "@acme/lib/src/rules"

            export function run(rules: Rules, isDry: boolean, list: unknown[]) {
              apply(null, state => state.apply())
              apply(null, isDry && (state => state.apply()))
              rules.add("a", function (view, state) { view.focus(); state.apply() })
              list.map(state => state.apply())
              apply(state => state.apply())
            }
            """,
    }
    repository("app", app)
    assert callers("State.apply") == [
        "app/src/main.ts:5 run high",
        "app/src/main.ts:6 run high",
        "app/src/main.ts:7 run high",
    ]
    assert callers("View.focus") == ["app/src/main.ts:7 run high"]


def test_a_dollar_is_a_part_of_a_name(callers: Callers) -> None:
    repository("lib", _LIBRARY)
    repository(
        "app",
        {
            "package.json": '{"name": "app", "dependencies": {"@acme/lib": "1.0.0"}}',
            "src/range.ts": """
                import { State, View } from "@acme/lib"
                export class Range {
                  head: View = new View()
                  constructor(readonly $head: State) {}
                  get $from() { return this.$head }
                }
                """,
            "src/main.ts": """
                import { Range } from "./range"
                export function run(range: Range) {
                  range.$head.apply()
                  range.$from.apply()
                  const { $head } = range
                  $head.apply()
                  range.head.focus()
                }
                """,
        },
    )
    lines = [4, 5, 7]
    assert callers("State.apply") == [f"app/src/main.ts:{line} run high" for line in lines]
    assert callers("View.focus") == ["app/src/main.ts:8 run high"]
