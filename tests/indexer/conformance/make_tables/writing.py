"""Writing of tables."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TABLES = Path(__file__).parent.with_name("tables")


def write(
    name: str, *, tool: str, version: str, question: str, ecosystem: str, rows: Sequence[Any]
) -> None:
    """Write `tables/NAME.json`, a row in a line."""
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    head = json.dumps(
        {"tool": tool, "version": version, "question": question, "ecosystem": ecosystem}
    )
    text = f'{head[:-1]}, "rows": [\n{lines}\n]}}\n'
    (TABLES / f"{name}.json").write_text(text, encoding="utf-8")
