"""Values that are one of two: `a or b`, `a if c else b`, `a || b`, `c ? a : b`."""

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import pyproject, repository


def test_in_python_the_first_says_what_it_is(callers: Callers) -> None:
    repository(
        "lib",
        {
            "pyproject.toml": pyproject("acme-lib"),
            "acme_lib/__init__.py": """
                class State:
                    def apply(self): ...

                class View:
                    def focus(self): ...

                def find(is_new):
                    return State() if is_new else None

                def opened(view: View | None):
                    return view or View()

                def either():
                    return State() or View()
                """,
        },
    )
    repository(
        "app",
        {
            "pyproject.toml": pyproject("app", "acme-lib"),
            "app/main.py": """
                from acme_lib import State, View, either, find, opened

                class Owner:
                    def __init__(self, view: View | None = None):
                        self.view = view or View()

                    def run(self, state: State | None, is_new, other):
                        self.view.focus()
                        state = state or State()
                        state.apply()
                        mine = None if is_new else View()
                        mine.focus()
                        find(True).apply()
                        opened(None).focus()
                        unknown = other or State()
                        unknown.apply()
                        either().apply()
                        either().focus()
                """,
        },
    )
    assert callers("View.focus") == [
        "app/app/main.py:9 Owner.run high",
        "app/app/main.py:13 Owner.run high",
        "app/app/main.py:15 Owner.run high",
        "app/app/main.py:19 Owner.run high",
    ]
    assert callers("State.apply") == [
        "app/app/main.py:11 Owner.run high",
        "app/app/main.py:14 Owner.run high",
        "app/app/main.py:18 Owner.run high",
    ]


def test_in_typescript_the_first_says_what_it_is(callers: Callers) -> None:
    repository(
        "lib",
        {
            "package.json": '{"name": "@acme/lib", "main": "src/index.ts"}',
            "src/index.ts": """
                export class State { apply(): void {} }
                export class View { focus(): void {} }
                """,
        },
    )
    text = """
        import { State, View } from "@acme/lib"

        let kept: View | null = null
        export function open() { return kept = new View() }
        export function find(isNew: boolean) { return isNew ? new State() : null }
        export function either() { return new State() ?? new View() }

        export function run(given: State | null, isNew: boolean) {
          open().focus()
          const state = given || new State()
          state.apply()
          const view = isNew ? null : new View()
          view.focus()
          find(isNew).apply()
          either().apply()
          either().focus()
        }
        """
    manifest = '{"name": "app", "dependencies": {"@acme/lib": "1.0.0"}}'
    repository("app", {"package.json": manifest, "src/main.ts": text})
    assert callers("View.focus") == [
        "app/src/main.ts:10 run high",
        "app/src/main.ts:14 run high",
        "app/src/main.ts:17 run high",
    ]
    assert callers("State.apply") == [
        "app/src/main.ts:12 run high",
        "app/src/main.ts:15 run high",
        "app/src/main.ts:16 run high",
    ]
