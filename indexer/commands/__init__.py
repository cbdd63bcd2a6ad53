"""The commands of the command line, one module each.

`add_parser` defines the arguments; `execute` runs the command and returns its exit code. It raises
IndexerError, whose message and exit code `__main__` reports.
"""
