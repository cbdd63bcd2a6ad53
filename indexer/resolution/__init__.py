"""What one file alone determines of its names: scopes, bindings, references, exports."""
