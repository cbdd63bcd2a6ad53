"""MCP at `/mcp`, in the process of the API."""
