"""CodeQuery (docs/how-to/integrations.md): questions about a checkout, by OpenAI's file search.

It is disabled until the user's own settings enable it. openai is imported when it is called.
"""

from typing import Final

from aeterna_code_search.integrations.codequery.tool import codequery

CodeQuery: Final = codequery
code_query: Final = codequery

__all__ = ["CodeQuery", "code_query", "codequery"]
