"""tinytemplate: {{ name }} is replaced by a value, and that is all it does."""

import re

_SLOT = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def render(template, values):
    """Fill in a template. Unknown names stay as they are."""
    return _SLOT.sub(lambda match: str(values.get(match[1], match[0])), template)
