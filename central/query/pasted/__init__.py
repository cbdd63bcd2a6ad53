"""What people paste into a search: stack traces, `path:line`, error messages. Strings only."""
