"""Branches beside the default one: their files, and how a request reads one (decision 95).

What the default branch has stays in its tables, whatever other branches there are. Files that it
lacks, with all their rows, lie in tables of the same names and columns in another schema. A
request about a branch reads views, again of the same names: they join both tables and leave out
what the branch lacks. So no statement elsewhere knows of branches.
"""
