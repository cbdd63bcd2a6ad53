"""CodeQuery (docs/integrations.md): semantic questions about a checkout, by OpenAI's file search.

Nothing happens before the user's own settings switch it on. openai is imported in a call.
"""

from typing import Final

from integrations.codequery.tool import codequery

CodeQuery: Final = codequery
code_query: Final = codequery

__all__ = ["CodeQuery", "code_query", "codequery"]
