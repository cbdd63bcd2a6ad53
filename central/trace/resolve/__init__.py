"""Resolution of references to definitions, in SQL."""
