"""The query language of REST, pages, command line and MCP. Pure; docs/reference/query.md."""
