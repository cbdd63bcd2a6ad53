"""Tools that people already have in their agents, over our search: each with an extra of its own.

`pip install '.[chunkhound]'`, `'.[langchain]'`, `'.[codequery]'`; docs/integrations.md.
"""
