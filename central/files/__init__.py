"""Reading indexed files: directories, paths by pattern or by a part of their name, and lines."""
