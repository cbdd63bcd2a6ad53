"""One registry of languages: suffixes, grammar, queries."""
