"""Scripts that make the tables by the real tools, each a module to run with `python -m`.

They run where the tool is, never in CI, on files that they write themselves.
"""
