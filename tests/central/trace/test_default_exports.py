"""Default exports of JavaScript and TypeScript, whatever they are called where they are used."""

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository


def test_a_default_export_without_a_name_is_found_through_imports_and_barrels(
    callers: Callers,
) -> None:
    repository(
        "web",
        {
            "package.json": '{"name": "web", "version": "1.0.0"}',
            "src/ledger.ts": "export default class {\n  post() {}\n}\n",
            "src/other.ts": "export default class {\n  post() {}\n}\n",
            "src/start.ts": "export default () => 1;\n",
            "src/index.ts": "export { default as Ledger } from './ledger';\n"
            "export { default } from './start';\n",
            "src/use.ts": """
                import start, { Ledger } from './index';
                import Books from './ledger';
                import Other from './other';
                import * as ledger from './ledger';
                start();
                new Ledger().post();
                new Books().post();
                new Other().post();
                new ledger.default().post();
            """,
        },
    )
    assert callers("post", file="src/ledger.ts") == [
        f"web/src/use.ts:{line} <module> high" for line in (7, 8, 10)
    ]
    assert callers("default", file="src/ledger.ts") == [
        f"web/src/use.ts:{line} <module> high" for line in (7, 8, 10)
    ]
    assert callers("default", file="src/start.ts") == ["web/src/use.ts:6 <module> high"]


def test_a_default_export_is_called_by_a_namespace(callers: Callers) -> None:
    repository(
        "web",
        {
            "package.json": '{"name": "web", "version": "1.0.0"}',
            "src/ranges.ts": "export default function clamp(n: number) { return n; }\n",
            "src/others.ts": "export default function other(n: number) { return n; }\n",
            "src/use.ts": """
                import * as ranges from './ranges';
                import * as others from './others';
                ranges.default(1);
                others.default(2);
            """,
        },
    )
    assert callers("clamp") == ["web/src/use.ts:4 <module> high"]
