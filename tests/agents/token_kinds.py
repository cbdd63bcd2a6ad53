"""A text of each kind that agents read, whose tokens by o200k_base are in `data/tokens.json`."""

import base64
import random
from pathlib import Path
from typing import Final

from aeterna_code_search.agents.codemap import consumers_text, unused_text
from aeterna_code_search.agents.files import content_text
from aeterna_code_search.agents.lean import lean
from aeterna_code_search.agents.text import search_text
from aeterna_code_search.agents.tokens import compact_json
from aeterna_code_search.agents.trace import graph_text, links_text
from tests.agents.recorded import DATA, recorded

TABLE: Final = DATA.parent / "tokens.json"
KINDS: Final = DATA.parent / "kinds"


def texts_by_kind() -> dict[str, str]:
    """Answers of the tools, in both forms, and files, as `code_read_file` shows them."""
    texts = {
        "search": search_text(recorded("search")),
        "callers": links_text(recorded("callers"), "callers"),
        "callees": links_text(recorded("callees"), "callees"),
        "graph": graph_text(recorded("graph")),
        "unused": unused_text(recorded("unused")),
        "consumers": consumers_text(recorded("consumers")),
    }
    for name in ("search", "callers", "callees", "graph", "unused", "context", "status"):
        texts[f"JSON of {name}"] = compact_json(recorded(name))
        texts[f"lean JSON of {name}"] = compact_json(lean(recorded(name)))
    for path in sorted(KINDS.iterdir()):
        texts[path.name] = content_text({**recorded("content"), **_file(path)})
    draw = random.Random(7)  # noqa: S311 (no secret)
    texts["base64"] = base64.b64encode(draw.randbytes(2_400)).decode()
    texts["digests"] = "\n".join(f"{draw.randbytes(32).hex()}  a/{n}.py" for n in range(40))
    return texts


def _file(path: Path) -> dict[str, object]:
    content = path.read_text(encoding="utf-8")
    lines = content.count("\n")
    numbers = {"start_line": 1, "end_line": lines, "total_lines": lines}
    return {"path": path.name, "content": content, **numbers}
