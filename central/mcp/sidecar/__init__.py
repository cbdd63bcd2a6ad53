"""The tools of another MCP server, offered at /mcp."""
