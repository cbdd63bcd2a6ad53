"""Rewrite the golden files: `python -m tests.indexer.update_golden`, then read the difference."""

from tests.indexer.golden import SOURCES, dumps, extract_source, golden_path, render


def main() -> None:
    for source in SOURCES:
        golden_path(source).write_text(dumps(render(extract_source(source))), "utf-8")


if __name__ == "__main__":
    main()
