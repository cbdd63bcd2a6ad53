"""Names of one file, without other files: scopes, bindings, references, exports."""
