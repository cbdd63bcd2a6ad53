"""What a user installs beside the service: command line, tools for agents, integrations."""
