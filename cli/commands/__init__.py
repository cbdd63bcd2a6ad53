"""The commands, a module each. Heavy imports stand inside of functions: --help answers at once."""
