"""Git: commits, trees, diffs, blobs and attributes, read by the git program."""
