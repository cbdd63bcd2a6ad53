"""A repository's index as SCIP, the format of github.com/scip-code/scip."""
