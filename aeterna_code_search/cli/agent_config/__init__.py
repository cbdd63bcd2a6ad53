"""The configuration files of coding agents: their forms, and edits of them."""
