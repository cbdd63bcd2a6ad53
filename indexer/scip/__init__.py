"""SCIP: what a compiler knows of a repository, in the format of github.com/sourcegraph/scip."""
