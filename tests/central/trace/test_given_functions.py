"""Members of TypeScript by their types: `$` in names, functions by the type asked for."""

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository

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


def test_a_function_gives_what_the_declared_function_type_says_not_what_it_returns(
    callers: Callers,
) -> None:
    repository(
        "lib",
        {
            **_LIBRARY,
            "src/drivers.ts": """
                export interface Driver { clear(): void }
                export type Factory<T> = (options: T) => Driver
                """,
        },
    )
    repository(
        "app",
        {
            "package.json": '{"name": "app", "dependencies": {"@acme/lib": "1.0.0"}}',
            "src/memory.ts": """
                import { Factory } from "@acme/lib/src/drivers"

                const memory: Factory<string> = () => {
                  return { clear() {} }
                }
                export default memory
                export const untyped = () => {
                  return { clear() {} }
                }
                class Drivers {
                  open: Factory<string> = function () { return untyped() }
                  all() { this.open("").clear() }
                }
                """,
            "src/main.ts": """
                import memory, { untyped } from "./memory"

                export function run() {
                  memory("a").clear()
                  untyped().clear()
                }
                """,
        },
    )
    assert callers("Driver.clear") == [
        "app/src/main.ts:5 run high",
        "app/src/memory.ts:13 Drivers.all high",
    ]
    assert callers("memory.clear") == []
    assert callers("untyped.clear") == ["app/src/main.ts:6 run high"]


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


def test_a_type_with_an_index_signature_has_a_member_of_any_name(callers: Callers) -> None:
    repository(
        "lib",
        {
            **_LIBRARY,
            "src/schema.ts": """
                import { State, View } from "./index"
                export class Schema<Names extends string> {
                  states: {readonly [name in Names]: State} & {readonly [key: string]: State}
                  mixed: { [key: string]: State; view: View }
                  plain: { view: View }
                  list: State[]
                }
                export function views(schema: Schema<string>): Record<"a" | "b", View> {}
                """,
        },
    )
    repository(
        "app",
        {
            "package.json": '{"name": "app", "dependencies": {"@acme/lib": "1.0.0"}}',
            "src/main.ts": """
                import { Schema, views } from "@acme/lib/src/schema"

                class Own extends Schema<string> {}
                export function run(schema: Schema<string>, own: Own) {
                  schema.states.open.apply()
                  own.states.open.apply()
                  schema.mixed.other.apply()
                  schema.mixed.view.focus()
                  views(schema).a.focus()
                  const { b } = views(schema)
                  b.focus()
                  schema.plain.other.apply()
                  schema.other.open.apply()
                  schema.list.open.apply()
                  schema.states.hasOwnProperty.apply()
                }
                """,
        },
    )
    assert callers("State.apply") == [f"app/src/main.ts:{line} run high" for line in (6, 7, 8)]
    assert callers("View.focus") == [f"app/src/main.ts:{line} run high" for line in (9, 10, 12)]


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


def test_a_lambda_of_csharp_is_given_what_the_delegate_of_the_called_method_names(
    callers: Callers,
) -> None:
    repository(
        "logs",
        {
            "Logs.csproj": "<Project />",
            "Config.cs": """
                namespace Acme;
                public class Sinks
                {
                    public void Add(int sink) {}
                }
                public class Config
                {
                    public Sinks To => null;
                    public Config Nest(int level, Action<Config>? configure) => this;
                    public Config Any(Action<Other> configure) => this;
                }
                public static class Extensions
                {
                    public static Config Also(this Config config, Action<Sinks> f) => config;
                }
            """,
            "Use.cs": """
                namespace Acme;
                class Use
                {
                    void Run(Config config)
                    {
                        config.Nest(1, c => c.To.Add(1));
                        config.Also(sinks => { sinks.Add(2); });
                        config.Any(c => c.To.Add(3));
                    }
                }
            """,
        },
    )
    assert callers("Sinks.Add") == [f"logs/Use.cs:{line} Use.Run high" for line in (7, 8)]


def test_places_of_tuples_and_names_of_queries_of_csharp_have_types(callers: Callers) -> None:
    repository(
        "shop",
        {
            "Shop.csproj": "<Project />",
            "Shop.cs": """
                namespace Acme;
                public class Item
                {
                    public void Send() {}
                }
                public class Order
                {
                    public List<Item> Items;
                    public (Order order, Item item) Pair() => default;
                }
                class Use
                {
                    void Run(Order one, List<Order> orders)
                    {
                        var (order, item) = one.Pair();
                        item.Send();
                        order.Send();
                        var all = from o in orders from i in o.Items select i.Send();
                    }
                }
            """,
        },
    )
    assert callers("Item.Send") == [f"shop/Shop.cs:{line} Use.Run high" for line in (17, 19)]
