"""Resolution of names within one file: scopes, bindings, references, exports."""
