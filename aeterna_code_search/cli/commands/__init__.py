"""The commands, one module each. Slow imports are inside functions, so that --help is fast."""
