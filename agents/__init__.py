"""What coding agents are offered: MCP tools over any service that answers in the API's shapes."""
