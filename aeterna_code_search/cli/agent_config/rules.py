"""What belongs in a repository's AGENTS.md."""

from typing import Final

RULES: Final = """\
## Code search

The MCP server `codesearch` knows every repository of the organisation, not just this one.

- To find code by what it does, or in another repository, use code_search before grep. Exact text goes in quotes, a regular expression in slashes: query="lang:go \\"context.WithTimeout\\"".
- To find every line that holds a text, use code_grep; to read a file that is not in this checkout, code_read_file.
- Before you change a signature, or remove something, use code_trace_callers: other repositories may use it.
- An answer that says Complete and has no rows means that there is none. Otherwise say what was missing.
- Lines marked (uncommitted) are those of the work tree; all others are of the commit in the receipt.
"""  # noqa: E501 - a paragraph is one line, so that it can be pasted anywhere
