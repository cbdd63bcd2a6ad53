"""MCP tools for coding agents, over any service with the shapes of the API."""
