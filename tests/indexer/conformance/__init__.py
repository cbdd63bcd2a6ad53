"""What real tools say of files and versions, and what our readers say of the same.

A table in `tables/` is JSON: `tool` with its `version`, the `question`, the packaging `ecosystem`
and `rows`. `make_tables/` has a script for each tool, which writes its tables where the tool is
installed; tests and CI only read them.

A row about files is an object with `name`, `files` (text by path) and `says`, of the question
`packages`: [name, version] by directory; `pins`: by directory the version in use by dependency, ""
if the tool installs none; `modules`: by path the names by which another repository imports the
file; `resolves`: by importing file and specifier the file that is reached, "" if there is none;
`languages`: by path our name of the file's language, null if it is none of ours; `generated`:
whether a tool wrote the file, or it is kept for one. It may have
`differs`: the reason for which our answer is another one. A row about versions is an array, of the
question `order`: two versions and -1, 0 or 1; `allows`: range, version, boolean.
"""
