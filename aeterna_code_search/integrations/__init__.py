"""Integrations: tools of other projects over this search, each with its own extra.

`pip install '.[chunkhound]'`, `'.[langchain]'`, `'.[codequery]'`; docs/how-to/integrations.md.
"""
