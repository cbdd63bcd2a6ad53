"""Request handlers; see MIGRATION.md for the ones that have moved."""
