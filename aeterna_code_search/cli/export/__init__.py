"""Files that commands download."""
