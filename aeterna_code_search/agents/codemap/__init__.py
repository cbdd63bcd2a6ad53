"""Tools about an organisation as one."""
