"""Rewrite the golden files: `python -m tests.indexer.update_golden`, then read the difference."""

import json
import sys

from tests.indexer.golden import (
    SOURCES,
    VERSIONS,
    changed_silently,
    dumps,
    extract_source,
    golden_path,
    read_states,
    render,
    states,
)


def main() -> None:
    now = states()
    if changed := changed_silently(read_states(), now):
        sys.exit(
            f"The output, grammar or queries of {', '.join(changed)} changed: raise `version` in "
            "indexer/languages, or, if the change is of every language, SHARED in "
            "indexer/pipeline/versions.py."
        )
    VERSIONS.write_text(json.dumps(now, indent=1) + "\n", "utf-8")
    for source in SOURCES:
        golden_path(source).write_text(dumps(render(extract_source(source))), "utf-8")


if __name__ == "__main__":
    main()
