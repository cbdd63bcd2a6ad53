"""Commands as the documents write them, so that the tests run what people copy."""

import re

from scripts.local_service import ROOT


def commands(document: str, heading: str) -> list[str]:
    """The lines of the first shell block below a heading; a comment after a command is left out."""
    text = (ROOT / "docs" / "how-to" / document).read_text()
    _, found, rest = text.partition(f"\n{heading}\n")
    assert found, f"{document} has no heading {heading}"
    block = rest.partition("```sh\n")[2].partition("```")[0]
    lines = [re.sub(r"\s{2,}#.*|^#.*", "", line) for line in block.splitlines()]
    return [line for line in lines if line.strip()]
