"""Functions that are members of an object, and what `module.exports` is."""

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository

_MANIFEST = '{"name": "web", "version": "1.0.0"}'


def test_functions_of_an_object_are_its_members(callers: Callers) -> None:
    repository(
        "web",
        {
            "package.json": _MANIFEST,
            "api.ts": """
                export const api = {
                  get: async (id: string) => id,
                  put: function (id: string) { return id; },
                  nested: { get: (n: number) => n },
                } as const;
                export const other = { get: () => 1 };
                export default { stop() {}, put: () => 1 };
                subscribe({ put: () => 3 });
            """,
            "use.ts": """
                import main, { api, other } from './api';
                api.get('1');
                api.nested.get(2);
                other.get();
                api.put('3');
                main.put();
            """,
        },
    )
    assert callers("api.get") == ["web/use.ts:3 <module> high"]
    assert callers("api.nested.get") == ["web/use.ts:4 <module> high"]
    assert callers("other.get") == ["web/use.ts:5 <module> high"]
    assert callers("api.put") == ["web/use.ts:6 <module> high"]
    assert callers("default.put") == ["web/use.ts:7 <module> high"]


def test_a_module_is_the_function_or_class_that_it_exports(callers: Callers) -> None:
    repository(
        "web",
        {
            "package.json": _MANIFEST,
            "named.js": "module.exports = function build(n) { return n; };\n",
            "arrow.js": "module.exports = (n) => n;\n",
            "engine.js": "module.exports = class Engine { run() {} };\n",
            "object.js": "module.exports = { show: (n) => n, hide: async function () {} };\n",
            "use.js": """
                const build = require('./named');
                const arrow = require('./arrow');
                const Engine = require('./engine');
                const { show } = require('./object');
                build(1);
                arrow(2);
                new Engine().run();
                show(3);
                require('./object').hide();
                hide();
            """,
        },
    )
    assert callers("build") == ["web/use.js:6 <module> high"]
    assert callers("exports", file="arrow.js") == ["web/use.js:7 <module> high"]
    assert callers("Engine") == ["web/use.js:8 <module> high"]
    assert callers("Engine.run") == ["web/use.js:8 <module> high"]
    assert callers("show") == ["web/use.js:9 <module> high"]


def test_what_is_assigned_to_an_object_or_prototype_is_its_member(callers: Callers) -> None:
    repository(
        "web",
        {
            "package.json": _MANIFEST,
            "app.js": """
                var app = exports = module.exports = {};
                app.use = function use() { this.handle(); };
                app.handle = function handle() {};
            """,
            "shape.js": """
                function Shape() {}
                Shape.prototype.draw = function () {};
                Shape.of = function () { return new Shape(); };
                function Counter() {}
                Counter.of = function () {};
                module.exports = Shape;
            """,
            "use.js": """
                const app = require('./app');
                const Shape = require('./shape');
                app.use();
                Shape.of();
            """,
        },
    )
    assert callers("handle") == ["web/app.js:3 app.use high"]
    assert callers("app.use") == ["web/use.js:4 <module> high"]
    assert callers("Shape.of") == ["web/use.js:5 <module> high"]
    assert callers("Counter.of") == []


def test_functions_of_an_object_that_a_function_returns_are_members_of_its_result(
    callers: Callers,
) -> None:
    repository(
        "web",
        {
            "package.json": _MANIFEST,
            "make.js": """
                import { far } from './far';
                export function make() {
                  const near = () => 1;
                  subscribe({ other() {} });
                  return { near, far, stop: () => 3, async run() {} };
                }
                export const arrow = () => ({ go: function () {} });
            """,
            "far.js": "export function far() {}\n",
            "use.js": """
                import { make, arrow } from './make';
                make().near();
                make().far();
                const made = make();
                made.stop();
                const { run } = make();
                run();
                arrow().go();
                make().other();
                arrow().run();
            """,
        },
    )
    assert callers("make.near") == ["web/make.js:6 make high", "web/use.js:3 <module> high"]
    assert callers("far") == ["web/make.js:6 make high", "web/use.js:4 <module> high"]
    assert callers("make.stop") == ["web/use.js:6 <module> high"]
    assert callers("make.run") == ["web/use.js:8 <module> high"]
    assert callers("arrow.go") == ["web/use.js:9 <module> high"]
    assert callers("make.other") == []


def test_functions_of_an_object_that_a_field_holds_are_its_members(callers: Callers) -> None:
    repository(
        "web",
        {
            "package.json": _MANIFEST,
            "box.ts": """
                export class Box {
                  handlers = {
                    click: () => this.go(),
                    save() { this.go(); },
                    go() {},
                  };
                  static table = { open: function () { return 1; } };
                  go() { this.handlers.save(); }
                }
            """,
            "use.ts": """
                import { Box } from './box';
                new Box().handlers.click();
                Box.table.open();
                new Box().save();
            """,
        },
    )
    assert callers("Box.handlers.click") == ["web/use.ts:3 <module> high"]
    assert callers("Box.handlers.save") == ["web/box.ts:9 Box.go high"]
    assert callers("Box.handlers.go") == ["web/box.ts:5 Box.handlers.save high"]
    assert callers("Box.go") == ["web/box.ts:4 Box.handlers.click high"]
    assert callers("Box.table.open") == ["web/use.ts:4 <module> high"]
