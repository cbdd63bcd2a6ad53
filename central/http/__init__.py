"""The HTTP edge of the API, pages and MCP: bodies, limits, headers, problem documents."""
