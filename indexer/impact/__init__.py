"""The impact of a branch: its edits, the callers of changed definitions, and the reports."""
