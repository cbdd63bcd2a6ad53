"""The configuration files of coding agents: where they are, their forms, and edits of them."""
