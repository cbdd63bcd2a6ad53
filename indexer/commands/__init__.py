"""The command line's commands, a module each.

`add_parser` names its arguments; `execute` carries it out and answers the exit code. It raises
IndexerError, whose message and exit code are `__main__`'s to tell.
"""
