"""Writing of tables."""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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


@contextmanager
def written(files: Mapping[str, str]) -> Iterator[Path]:
    """Write the files, by path, to a temporary directory, which is removed at the end."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            place = Path(folder) / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8", newline="")
        yield Path(folder)
